import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Duplicates1795600000000 implements MigrationInterface {
  name = 'Duplicates1795600000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "document_uses" ("transaction_id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "customer_id" text NOT NULL, "document" text NOT NULL, "used_at" bigint NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE INDEX "document_uses_account_id_document_used_at" ON "document_uses" ("account_id", "document", "used_at") `,
    )
    await queryRunner.query(
      `CREATE TABLE "duplicates" ("transaction_id" text NOT NULL, "kind" text NOT NULL, "other_transaction_id" text NOT NULL, "account_id" text NOT NULL, "customer_id" text NOT NULL, "other_customer_id" text NOT NULL, "found_at" bigint NOT NULL, PRIMARY KEY ("transaction_id", "kind", "other_transaction_id"))`,
    )
    await queryRunner.query(
      `CREATE INDEX "duplicates_customer_id_found_at" ON "duplicates" ("customer_id", "found_at") `,
    )
    await queryRunner.query(
      `CREATE INDEX "duplicates_other_customer_id_found_at" ON "duplicates" ("other_customer_id", "found_at") `,
    )
    await queryRunner.query(`CREATE INDEX "duplicates_other_transaction_id" ON "duplicates" ("other_transaction_id") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "duplicates_other_transaction_id"`)
    await queryRunner.query(`DROP INDEX "duplicates_other_customer_id_found_at"`)
    await queryRunner.query(`DROP INDEX "duplicates_customer_id_found_at"`)
    await queryRunner.query(`DROP TABLE "duplicates"`)
    await queryRunner.query(`DROP INDEX "document_uses_account_id_document_used_at"`)
    await queryRunner.query(`DROP TABLE "document_uses"`)
  }
}
