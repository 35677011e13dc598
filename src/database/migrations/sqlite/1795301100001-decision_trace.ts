import type { MigrationInterface, QueryRunner } from 'typeorm'

export class DecisionTrace1795301100001 implements MigrationInterface {
  name = 'DecisionTrace1795301100001'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" ADD "trace" blob`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "trace"`)
  }
}
