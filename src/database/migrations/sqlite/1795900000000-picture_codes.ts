import type { MigrationInterface, QueryRunner } from 'typeorm'

export class PictureCodes1795900000000 implements MigrationInterface {
  name = 'PictureCodes1795900000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "picture_codes" ("capture_id" text NOT NULL, "position" integer NOT NULL, "account_id" text NOT NULL, "transaction_id" text NOT NULL, "band_0" integer NOT NULL, "band_1" integer NOT NULL, "band_2" integer NOT NULL, "band_3" integer NOT NULL, PRIMARY KEY ("capture_id", "position"))`,
    )
    await queryRunner.query(`CREATE INDEX "picture_codes_transaction_id" ON "picture_codes" ("transaction_id") `)
    await queryRunner.query(
      `CREATE INDEX "picture_codes_account_id_band_0" ON "picture_codes" ("account_id", "band_0") `,
    )
    await queryRunner.query(
      `CREATE INDEX "picture_codes_account_id_band_1" ON "picture_codes" ("account_id", "band_1") `,
    )
    await queryRunner.query(
      `CREATE INDEX "picture_codes_account_id_band_2" ON "picture_codes" ("account_id", "band_2") `,
    )
    await queryRunner.query(
      `CREATE INDEX "picture_codes_account_id_band_3" ON "picture_codes" ("account_id", "band_3") `,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "picture_codes_account_id_band_3"`)
    await queryRunner.query(`DROP INDEX "picture_codes_account_id_band_2"`)
    await queryRunner.query(`DROP INDEX "picture_codes_account_id_band_1"`)
    await queryRunner.query(`DROP INDEX "picture_codes_account_id_band_0"`)
    await queryRunner.query(`DROP INDEX "picture_codes_transaction_id"`)
    await queryRunner.query(`DROP TABLE "picture_codes"`)
  }
}
