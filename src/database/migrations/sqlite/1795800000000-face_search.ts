import type { MigrationInterface, QueryRunner } from 'typeorm'

export class FaceSearch1795800000000 implements MigrationInterface {
  name = 'FaceSearch1795800000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "face_searches" ("id" text PRIMARY KEY NOT NULL, "generation" text NOT NULL, "data_key" blob NOT NULL, "sequence" integer NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE TABLE "face_vectors" ("customer_id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "sequence" integer NOT NULL, "model" text NOT NULL, "vector" blob)`,
    )
    await queryRunner.query(
      `CREATE INDEX "face_vectors_account_id_sequence" ON "face_vectors" ("account_id", "sequence") `,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "face_vectors_account_id_sequence"`)
    await queryRunner.query(`DROP TABLE "face_vectors"`)
    await queryRunner.query(`DROP TABLE "face_searches"`)
  }
}
