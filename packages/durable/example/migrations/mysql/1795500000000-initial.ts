import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Initial1795500000000 implements MigrationInterface {
  name = 'Initial1795500000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`journal\` (\`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`actor_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`event\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`occurred_at\` bigint NOT NULL, \`chart_version\` int NOT NULL, \`hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, PRIMARY KEY (\`actor_id\`, \`sequence\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`scheduled_jobs\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`queue\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`lane\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL DEFAULT '', \`actor_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`payload\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`ready_at\` bigint NOT NULL, \`lease\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`claims\` int NOT NULL, \`traceparent\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, INDEX \`scheduled_jobs_queue_lane_ready_at_id\` (\`queue\`, \`lane\`, \`ready_at\`, \`id\`), UNIQUE INDEX \`scheduled_jobs_actor_id_name\` (\`actor_id\`, \`name\`), INDEX \`scheduled_jobs_lease\` (\`lease\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`orders\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`clock_offset_ms\` bigint NULL, \`snapshot\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` int NOT NULL, \`chart_version\` int NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`journal_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`journal_at\` bigint NOT NULL, \`created_at\` bigint NOT NULL, \`held_job\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`held_until\` bigint NULL, \`customer\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`paid_at\` bigint NULL, INDEX \`orders_chart_version_status\` (\`chart_version\`, \`status\`), INDEX \`orders_held_until\` (\`held_until\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`invoices\` (\`order_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`receipt\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, PRIMARY KEY (\`order_id\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE \`invoices\``)
    await queryRunner.query(`DROP INDEX \`orders_held_until\` ON \`orders\``)
    await queryRunner.query(`DROP INDEX \`orders_chart_version_status\` ON \`orders\``)
    await queryRunner.query(`DROP TABLE \`orders\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_lease\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_actor_id_name\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_queue_lane_ready_at_id\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP TABLE \`scheduled_jobs\``)
    await queryRunner.query(`DROP TABLE \`journal\``)
  }
}
