import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CustomerUses1795374000100 implements MigrationInterface {
  name = 'CustomerUses1795374000100'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE \`customers\` ADD \`uses\` int NULL`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE \`customers\` DROP COLUMN \`uses\``)
  }
}
