import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TestAccounts1795303000100 implements MigrationInterface {
  name = 'TestAccounts1795303000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "accounts" ADD "mode" text`)
    await queryRunner.query(`ALTER TABLE "accounts" ADD "clock_offset_ms" bigint`)
    await queryRunner.query(`ALTER TABLE "transactions" ADD "clock_offset_ms" bigint`)
    await queryRunner.query(`ALTER TABLE "deliveries" ADD "clock_offset_ms" bigint`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "deliveries" DROP COLUMN "clock_offset_ms"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "clock_offset_ms"`)
    await queryRunner.query(`ALTER TABLE "accounts" DROP COLUMN "clock_offset_ms"`)
    await queryRunner.query(`ALTER TABLE "accounts" DROP COLUMN "mode"`)
  }
}
