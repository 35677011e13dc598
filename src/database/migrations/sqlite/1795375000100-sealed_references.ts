import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SealedReferences1795375000100 implements MigrationInterface {
  name = 'SealedReferences1795375000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "sealed_reference" blob`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "sealed_reference"`)
  }
}
