import type { MigrationInterface, QueryRunner } from 'typeorm'

export class JournalChain1795302000200 implements MigrationInterface {
  name = 'JournalChain1795302000200'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "journal_hash" text`)
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "journal_at" bigint`)
    await queryRunner.query(`ALTER TABLE "deliveries" ADD COLUMN "journal_hash" text`)
    await queryRunner.query(`ALTER TABLE "deliveries" ADD COLUMN "journal_at" bigint`)
    await queryRunner.query(`ALTER TABLE "journal" ADD COLUMN "chart_version" integer`)
    await queryRunner.query(`ALTER TABLE "journal" ADD COLUMN "hash" text`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "journal" DROP COLUMN "hash"`)
    await queryRunner.query(`ALTER TABLE "journal" DROP COLUMN "chart_version"`)
    await queryRunner.query(`ALTER TABLE "deliveries" DROP COLUMN "journal_at"`)
    await queryRunner.query(`ALTER TABLE "deliveries" DROP COLUMN "journal_hash"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "journal_at"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "journal_hash"`)
  }
}
