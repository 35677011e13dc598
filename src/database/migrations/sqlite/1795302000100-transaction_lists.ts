import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TransactionLists1795302000100 implements MigrationInterface {
  name = 'TransactionLists1795302000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "reference" text`)
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "decision" text`)
    await queryRunner.query(`UPDATE "transactions" SET "reference" = json_extract("config", '$.reference')`)
    await queryRunner.query(`DROP INDEX "transactions_customer_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_created_at"`)
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_created_at_id" ON "transactions" ("account_id", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_transaction_type_status_created_at_id" ON "transactions" ("account_id", "transaction_type", "status", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_decision_status_created_at_id" ON "transactions" ("account_id", "decision", "status", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "customers_account_id_created_at_id" ON "customers" ("account_id", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_reference_created_at_id" ON "transactions" ("account_id", "reference", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_customer_id_created_at_id" ON "transactions" ("customer_id", "created_at", "id") `,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "transactions_customer_id_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_reference_created_at_id"`)
    await queryRunner.query(`DROP INDEX "customers_account_id_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_decision_status_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_transaction_type_status_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_created_at_id"`)
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_created_at" ON "transactions" ("account_id", "created_at") `,
    )
    await queryRunner.query(`CREATE INDEX "transactions_customer_id" ON "transactions" ("customer_id") `)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "decision"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "reference"`)
  }
}
