import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CaptureDigests1795300616355 implements MigrationInterface {
  name = 'CaptureDigests1795300616355'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX "captures_account_id_digest" ON "captures" ("account_id", "digest") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "captures_account_id_digest"`)
  }
}
