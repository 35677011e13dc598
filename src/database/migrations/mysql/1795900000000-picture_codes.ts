import type { MigrationInterface, QueryRunner } from 'typeorm'

export class PictureCodes1795900000000 implements MigrationInterface {
  name = 'PictureCodes1795900000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`picture_codes\` (\`capture_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`position\` int NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`band_0\` int NOT NULL, \`band_1\` int NOT NULL, \`band_2\` int NOT NULL, \`band_3\` int NOT NULL, INDEX \`picture_codes_transaction_id\` (\`transaction_id\`), INDEX \`picture_codes_account_id_band_0\` (\`account_id\`, \`band_0\`), INDEX \`picture_codes_account_id_band_1\` (\`account_id\`, \`band_1\`), INDEX \`picture_codes_account_id_band_2\` (\`account_id\`, \`band_2\`), INDEX \`picture_codes_account_id_band_3\` (\`account_id\`, \`band_3\`), PRIMARY KEY (\`capture_id\`, \`position\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`picture_codes_account_id_band_3\` ON \`picture_codes\``)
    await queryRunner.query(`DROP INDEX \`picture_codes_account_id_band_2\` ON \`picture_codes\``)
    await queryRunner.query(`DROP INDEX \`picture_codes_account_id_band_1\` ON \`picture_codes\``)
    await queryRunner.query(`DROP INDEX \`picture_codes_account_id_band_0\` ON \`picture_codes\``)
    await queryRunner.query(`DROP INDEX \`picture_codes_transaction_id\` ON \`picture_codes\``)
    await queryRunner.query(`DROP TABLE \`picture_codes\``)
  }
}
