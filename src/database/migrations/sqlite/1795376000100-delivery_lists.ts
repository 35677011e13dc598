import type { MigrationInterface, QueryRunner } from 'typeorm'

export class DeliveryLists1795376000100 implements MigrationInterface {
  name = 'DeliveryLists1795376000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "deliveries_account_id_occurred_at_id" ON "deliveries" ("account_id", "occurred_at", "id")`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "deliveries_account_id_occurred_at_id"`)
  }
}
