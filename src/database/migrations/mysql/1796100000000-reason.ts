import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Reason1796100000000 implements MigrationInterface {
  name = 'Reason1796100000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE \`transactions\` ADD COLUMN \`reason\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL`,
    )
    await queryRunner.query(`DROP INDEX \`transactions_account_id_decision_status_created_at_id\` ON \`transactions\``)
    await queryRunner.query(
      `CREATE INDEX \`transactions_account_id_decision_status_created_at_id_reason_com\` ON \`transactions\` (\`account_id\`, \`decision\`, \`status\`, \`created_at\`, \`id\`, \`reason\`, \`completed_at\`, \`finished_at\`)`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DROP INDEX \`transactions_account_id_decision_status_created_at_id_reason_com\` ON \`transactions\``,
    )
    await queryRunner.query(
      `CREATE INDEX \`transactions_account_id_decision_status_created_at_id\` ON \`transactions\` (\`account_id\`, \`decision\`, \`status\`, \`created_at\`, \`id\`)`,
    )
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`reason\``)
  }
}
