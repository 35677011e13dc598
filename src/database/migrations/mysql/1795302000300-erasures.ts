import type { MigrationInterface, QueryRunner } from 'typeorm'

const id = 'char(36) CHARACTER SET "ascii" COLLATE "ascii_bin"'
const word = 'varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL'

export class Erasures1795302000300 implements MigrationInterface {
  name = 'Erasures1795302000300'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`erasures\` (\`id\` ${id} NOT NULL, \`account_id\` ${id} NOT NULL, \`subject\` ${word}, \`subject_id\` ${id} NOT NULL, \`erased_by\` ${word}, \`counts\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`erased_at\` bigint NOT NULL, \`reached\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`completed_at\` bigint NULL, INDEX \`erasures_completed_at\` (\`completed_at\`), UNIQUE INDEX \`erasures_account_id_subject_id\` (\`account_id\`, \`subject_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(`ALTER TABLE \`transactions\` ADD \`erasure_id\` ${id} NULL`)
    await queryRunner.query(`ALTER TABLE \`idempotency_keys\` ADD \`subject_id\` ${id} NULL`)
    await queryRunner.query(`CREATE INDEX \`idempotency_keys_subject_id\` ON \`idempotency_keys\` (\`subject_id\`)`)
    await queryRunner.query(`CREATE INDEX \`captures_created_at\` ON \`captures\` (\`created_at\`)`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`captures_created_at\` ON \`captures\``)
    await queryRunner.query(`DROP INDEX \`idempotency_keys_subject_id\` ON \`idempotency_keys\``)
    await queryRunner.query(`ALTER TABLE \`idempotency_keys\` DROP COLUMN \`subject_id\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`erasure_id\``)
    await queryRunner.query(`DROP INDEX \`erasures_completed_at\` ON \`erasures\``)
    await queryRunner.query(`DROP INDEX \`erasures_account_id_subject_id\` ON \`erasures\``)
    await queryRunner.query(`DROP TABLE \`erasures\``)
  }
}
