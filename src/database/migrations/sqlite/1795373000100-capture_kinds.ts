import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CaptureKinds1795373000100 implements MigrationInterface {
  name = 'CaptureKinds1795373000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX "captures_kind_created_at" ON "captures" ("kind", "created_at") `)
    await queryRunner.query(`DROP INDEX "captures_created_at"`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX "captures_created_at" ON "captures" ("created_at") `)
    await queryRunner.query(`DROP INDEX "captures_kind_created_at"`)
  }
}
