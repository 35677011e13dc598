import type { MigrationInterface, QueryRunner } from 'typeorm'

export class HeldJobs1796200000000 implements MigrationInterface {
  name = 'HeldJobs1796200000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE \`transactions\` ADD COLUMN \`held_job\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL`,
    )
    await queryRunner.query(`ALTER TABLE \`transactions\` ADD COLUMN \`held_until\` bigint NULL`)
    await queryRunner.query(`CREATE INDEX \`transactions_held_until\` ON \`transactions\` (\`held_until\`)`)
    await queryRunner.query(
      `ALTER TABLE \`deliveries\` ADD COLUMN \`held_job\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL`,
    )
    await queryRunner.query(`ALTER TABLE \`deliveries\` ADD COLUMN \`held_until\` bigint NULL`)
    await queryRunner.query(`CREATE INDEX \`deliveries_held_until\` ON \`deliveries\` (\`held_until\`)`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`deliveries_held_until\` ON \`deliveries\``)
    await queryRunner.query(`ALTER TABLE \`deliveries\` DROP COLUMN \`held_until\``)
    await queryRunner.query(`ALTER TABLE \`deliveries\` DROP COLUMN \`held_job\``)
    await queryRunner.query(`DROP INDEX \`transactions_held_until\` ON \`transactions\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`held_until\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`held_job\``)
  }
}
