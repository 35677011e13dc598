import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Duplicates1795600000000 implements MigrationInterface {
  name = 'Duplicates1795600000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`document_uses\` (\`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`document\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`used_at\` bigint NOT NULL, INDEX \`document_uses_account_id_document_used_at\` (\`account_id\`, \`document\`, \`used_at\`), PRIMARY KEY (\`transaction_id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`duplicates\` (\`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`other_transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`other_customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`found_at\` bigint NOT NULL, INDEX \`duplicates_customer_id_found_at\` (\`customer_id\`, \`found_at\`), INDEX \`duplicates_other_customer_id_found_at\` (\`other_customer_id\`, \`found_at\`), INDEX \`duplicates_other_transaction_id\` (\`other_transaction_id\`), PRIMARY KEY (\`transaction_id\`, \`kind\`, \`other_transaction_id\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`duplicates_other_transaction_id\` ON \`duplicates\``)
    await queryRunner.query(`DROP INDEX \`duplicates_other_customer_id_found_at\` ON \`duplicates\``)
    await queryRunner.query(`DROP INDEX \`duplicates_customer_id_found_at\` ON \`duplicates\``)
    await queryRunner.query(`DROP TABLE \`duplicates\``)
    await queryRunner.query(`DROP INDEX \`document_uses_account_id_document_used_at\` ON \`document_uses\``)
    await queryRunner.query(`DROP TABLE \`document_uses\``)
  }
}
