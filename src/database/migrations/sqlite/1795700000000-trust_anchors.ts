import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TrustAnchors1795700000000 implements MigrationInterface {
  name = 'TrustAnchors1795700000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "trust_anchors" ("fingerprint" text PRIMARY KEY NOT NULL, "kind" text NOT NULL, "country" text NOT NULL, "subject" text NOT NULL, "valid_until" bigint, "imported_at" bigint NOT NULL, "der" blob NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "trust_anchors_country" ON "trust_anchors" ("country") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "trust_anchors_country"`)
    await queryRunner.query(`DROP TABLE "trust_anchors"`)
  }
}
