import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RateLimits1795300000100 implements MigrationInterface {
  name = 'RateLimits1795300000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "rate_limits" ("id" text PRIMARY KEY NOT NULL, "full_at_us" bigint NOT NULL)`)
    await queryRunner.query(`CREATE INDEX "rate_limits_full_at_us" ON "rate_limits" ("full_at_us") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "rate_limits_full_at_us"`)
    await queryRunner.query(`DROP TABLE "rate_limits"`)
  }
}
