import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Resubmission1796000000000 implements MigrationInterface {
  name = 'Resubmission1796000000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE \`accounts\` ADD COLUMN \`resubmission\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE \`accounts\` DROP COLUMN \`resubmission\``)
  }
}
