import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Deliveries1795372118002 implements MigrationInterface {
  name = 'Deliveries1795372118002'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`delivery_attempts\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`delivery_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`attempt\` int NOT NULL, \`started_at\` bigint NOT NULL, \`duration_ms\` int NOT NULL, \`outcome\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`http_status\` int NULL, \`address\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`error\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`answer\` longblob NULL, INDEX \`delivery_attempts_delivery_id_started_at\` (\`delivery_id\`, \`started_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`origins\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`origin\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`failing_since\` bigint NULL, \`paused_at\` bigint NULL, INDEX \`origins_account_id\` (\`account_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(`ALTER TABLE \`transactions\` ADD \`turns\` int NULL`)
    await queryRunner.query(
      `ALTER TABLE \`deliveries\` ADD \`origin_id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL`,
    )
    await queryRunner.query(
      `ALTER TABLE \`due\` ADD \`lane\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL DEFAULT ''`,
    )
    await queryRunner.query(
      `CREATE INDEX \`due_queue_lane_ready_at_id\` ON \`due\` (\`queue\`, \`lane\`, \`ready_at\`, \`id\`)`,
    )
    await queryRunner.query(`DROP INDEX \`due_queue_ready_at_id\` ON \`due\``)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX \`due_queue_ready_at_id\` ON \`due\` (\`queue\`, \`ready_at\`, \`id\`)`)
    await queryRunner.query(`DROP INDEX \`due_queue_lane_ready_at_id\` ON \`due\``)
    await queryRunner.query(`ALTER TABLE \`due\` DROP COLUMN \`lane\``)
    await queryRunner.query(`ALTER TABLE \`deliveries\` DROP COLUMN \`origin_id\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`turns\``)
    await queryRunner.query(`DROP INDEX \`origins_account_id\` ON \`origins\``)
    await queryRunner.query(`DROP TABLE \`origins\``)
    await queryRunner.query(`DROP INDEX \`delivery_attempts_delivery_id_started_at\` ON \`delivery_attempts\``)
    await queryRunner.query(`DROP TABLE \`delivery_attempts\``)
  }
}
