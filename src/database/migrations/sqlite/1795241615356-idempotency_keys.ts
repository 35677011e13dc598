import type { MigrationInterface, QueryRunner } from 'typeorm'

export class IdempotencyKeys1795241615356 implements MigrationInterface {
  name = 'IdempotencyKeys1795241615356'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "idempotency_keys" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "request" text NOT NULL, "answer" blob NOT NULL, "expires_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "idempotency_keys_expires_at" ON "idempotency_keys" ("expires_at") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "idempotency_keys_expires_at"`)
    await queryRunner.query(`DROP TABLE "idempotency_keys"`)
  }
}
