import type { MigrationInterface, QueryRunner } from 'typeorm'

export class IdempotencyKeys1795241616971 implements MigrationInterface {
  name = 'IdempotencyKeys1795241616971'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`idempotency_keys\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`request\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`answer\` longblob NOT NULL, \`expires_at\` bigint NOT NULL, INDEX \`idempotency_keys_expires_at\` (\`expires_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`idempotency_keys_expires_at\` ON \`idempotency_keys\``)
    await queryRunner.query(`DROP TABLE \`idempotency_keys\``)
  }
}
