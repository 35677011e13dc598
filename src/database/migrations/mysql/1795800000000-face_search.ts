import type { MigrationInterface, QueryRunner } from 'typeorm'

export class FaceSearch1795800000000 implements MigrationInterface {
  name = 'FaceSearch1795800000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`face_searches\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`generation\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`data_key\` longblob NOT NULL, \`sequence\` int NOT NULL, PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`face_vectors\` (\`customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`model\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`vector\` longblob, INDEX \`face_vectors_account_id_sequence\` (\`account_id\`, \`sequence\`), PRIMARY KEY (\`customer_id\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`face_vectors_account_id_sequence\` ON \`face_vectors\``)
    await queryRunner.query(`DROP TABLE \`face_vectors\``)
    await queryRunner.query(`DROP TABLE \`face_searches\``)
  }
}
