import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TrustAnchors1795700000000 implements MigrationInterface {
  name = 'TrustAnchors1795700000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`trust_anchors\` (\`fingerprint\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`country\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`subject\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`valid_until\` bigint NULL, \`imported_at\` bigint NOT NULL, \`der\` longblob NOT NULL, INDEX \`trust_anchors_country\` (\`country\`), PRIMARY KEY (\`fingerprint\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`trust_anchors_country\` ON \`trust_anchors\``)
    await queryRunner.query(`DROP TABLE \`trust_anchors\``)
  }
}
