import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RateLimits1795300000100 implements MigrationInterface {
  name = 'RateLimits1795300000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`rate_limits\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`full_at_us\` bigint NOT NULL, INDEX \`rate_limits_full_at_us\` (\`full_at_us\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`rate_limits_full_at_us\` ON \`rate_limits\``)
    await queryRunner.query(`DROP TABLE \`rate_limits\``)
  }
}
