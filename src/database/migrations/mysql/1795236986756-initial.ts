import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Initial1795236986756 implements MigrationInterface {
  name = 'Initial1795236986756'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`accounts\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`created_at\` bigint NOT NULL, PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`clients\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`secret_hmac\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`revoked_at\` bigint NULL, INDEX \`clients_account_id\` (\`account_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`customers\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`lookup\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`profile\` longblob NOT NULL, \`data_key\` longblob NOT NULL, \`face\` longblob NULL, \`face_transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`created_at\` bigint NOT NULL, UNIQUE INDEX \`customers_account_id_lookup\` (\`account_id\`, \`lookup\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`transactions\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`snapshot\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` int NOT NULL, \`chart_version\` int NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`config\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`expected_data\` longblob NULL, \`token_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`expires_at\` bigint NOT NULL, \`initiated_at\` bigint NULL, \`completed_at\` bigint NULL, \`processing_at\` bigint NULL, \`finished_at\` bigint NULL, \`result\` longblob NULL, UNIQUE INDEX \`transactions_token_hash\` (\`token_hash\`), INDEX \`transactions_account_id_created_at\` (\`account_id\`, \`created_at\`), INDEX \`transactions_customer_id\` (\`customer_id\`), INDEX \`transactions_chart_version_status\` (\`chart_version\`, \`status\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`captures\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`media_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`digest\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`byte_count\` int NOT NULL, \`content\` longblob NOT NULL, \`created_at\` bigint NOT NULL, INDEX \`captures_transaction_id\` (\`transaction_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`deliveries\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`snapshot\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` int NOT NULL, \`chart_version\` int NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`event_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`told_status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`occurred_at\` bigint NOT NULL, UNIQUE INDEX \`deliveries_transaction_id_sequence\` (\`transaction_id\`, \`sequence\`), INDEX \`deliveries_chart_version_status\` (\`chart_version\`, \`status\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`journal\` (\`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`event\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`occurred_at\` bigint NOT NULL, PRIMARY KEY (\`actor_id\`, \`sequence\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`due\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`queue\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`payload\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`ready_at\` bigint NOT NULL, \`lease\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`claims\` int NOT NULL, INDEX \`due_queue_ready_at_id\` (\`queue\`, \`ready_at\`, \`id\`), UNIQUE INDEX \`due_actor_id_name\` (\`actor_id\`, \`name\`), INDEX \`due_lease\` (\`lease\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`signing_keys\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`purpose\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`algorithm\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`public_jwk\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`private_jwk\` longblob NOT NULL, \`created_at\` bigint NOT NULL, \`active_at\` bigint NOT NULL, \`retired_at\` bigint NULL, INDEX \`signing_keys_purpose_active_at\` (\`purpose\`, \`active_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`facts\` (\`name\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`value\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, PRIMARY KEY (\`name\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE \`facts\``)
    await queryRunner.query(`DROP INDEX \`signing_keys_purpose_active_at\` ON \`signing_keys\``)
    await queryRunner.query(`DROP TABLE \`signing_keys\``)
    await queryRunner.query(`DROP INDEX \`due_lease\` ON \`due\``)
    await queryRunner.query(`DROP INDEX \`due_actor_id_name\` ON \`due\``)
    await queryRunner.query(`DROP INDEX \`due_queue_ready_at_id\` ON \`due\``)
    await queryRunner.query(`DROP TABLE \`due\``)
    await queryRunner.query(`DROP TABLE \`journal\``)
    await queryRunner.query(`DROP INDEX \`deliveries_chart_version_status\` ON \`deliveries\``)
    await queryRunner.query(`DROP INDEX \`deliveries_transaction_id_sequence\` ON \`deliveries\``)
    await queryRunner.query(`DROP TABLE \`deliveries\``)
    await queryRunner.query(`DROP INDEX \`captures_transaction_id\` ON \`captures\``)
    await queryRunner.query(`DROP TABLE \`captures\``)
    await queryRunner.query(`DROP INDEX \`transactions_chart_version_status\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_customer_id\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_account_id_created_at\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_token_hash\` ON \`transactions\``)
    await queryRunner.query(`DROP TABLE \`transactions\``)
    await queryRunner.query(`DROP INDEX \`customers_account_id_lookup\` ON \`customers\``)
    await queryRunner.query(`DROP TABLE \`customers\``)
    await queryRunner.query(`DROP INDEX \`clients_account_id\` ON \`clients\``)
    await queryRunner.query(`DROP TABLE \`clients\``)
    await queryRunner.query(`DROP TABLE \`accounts\``)
  }
}
