import type { MigrationInterface, QueryRunner } from 'typeorm'

const word = 'varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL'

export class JournalChain1795302000200 implements MigrationInterface {
  name = 'JournalChain1795302000200'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE \`transactions\` ADD \`journal_hash\` ${word}`)
    await queryRunner.query(`ALTER TABLE \`transactions\` ADD \`journal_at\` bigint NULL`)
    await queryRunner.query(`ALTER TABLE \`deliveries\` ADD \`journal_hash\` ${word}`)
    await queryRunner.query(`ALTER TABLE \`deliveries\` ADD \`journal_at\` bigint NULL`)
    await queryRunner.query(`ALTER TABLE \`journal\` ADD \`chart_version\` int NULL`)
    await queryRunner.query(`ALTER TABLE \`journal\` ADD \`hash\` ${word}`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE \`journal\` DROP COLUMN \`hash\``)
    await queryRunner.query(`ALTER TABLE \`journal\` DROP COLUMN \`chart_version\``)
    await queryRunner.query(`ALTER TABLE \`deliveries\` DROP COLUMN \`journal_at\``)
    await queryRunner.query(`ALTER TABLE \`deliveries\` DROP COLUMN \`journal_hash\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`journal_at\``)
    await queryRunner.query(`ALTER TABLE \`transactions\` DROP COLUMN \`journal_hash\``)
  }
}
