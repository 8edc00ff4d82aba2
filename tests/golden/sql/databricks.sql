-- survey
SELECT
  *
FROM (
  SELECT
    *
  FROM (
    SELECT
      `t3`.`r`,
      `t3`.`y`,
      `t3`.`b0`,
      COUNT(*) AS `one`,
      COALESCE(SUM(`t3`.`wide_s0`), 0) AS `wide_s0`,
      COALESCE(SUM(`t3`.`wide_w`), 0) AS `wide_w`,
      COALESCE(SUM(`t3`.`miss_s0`), 0) AS `miss_s0`,
      COALESCE(SUM(`t3`.`loss_s0`), 0) AS `loss_s0`,
      COALESCE(SUM(`t3`.`shock_s0`), 0) AS `shock_s0`,
      MIN(`t3`.`s0`) AS `min_s0`,
      MAX(`t3`.`s0`) AS `max_s0`,
      MIN(`t3`.`w`) AS `min_w`,
      MAX(`t3`.`w`) AS `max_w`
    FROM (
      SELECT
        `t2`.`y`,
        `t2`.`s0`,
        `t2`.`w`,
        `t2`.`b0`,
        `t2`.`r`,
        `t2`.`wide_s0`,
        `t2`.`wide_w`,
        `t2`.`given_s0`,
        LN(CASE WHEN `t2`.`given_s0` > 0 THEN `t2`.`given_s0` ELSE 1.0 END) AS `log_s0`,
        CASE WHEN `t2`.`r` = -1 THEN `t2`.`w` ELSE 0.0 END * (
          (
            1.0 - `t2`.`given_s0`
          ) * (
            1.0 - `t2`.`given_s0`
          )
        ) AS `miss_s0`,
        CASE WHEN `t2`.`r` = -1 THEN `t2`.`w` ELSE 0.0 END * (
          0.0 - LN(CASE WHEN `t2`.`given_s0` > 0 THEN `t2`.`given_s0` ELSE 1.0 END)
        ) AS `loss_s0`,
        CASE WHEN `t2`.`r` = -1 THEN `t2`.`w` ELSE 0.0 END * CASE WHEN `t2`.`given_s0` > 0 THEN `t2`.`given_s0` * 0.0 ELSE 1.0 END AS `shock_s0`
      FROM (
        SELECT
          `t1`.`y`,
          `t1`.`s0`,
          `t1`.`w`,
          `t1`.`b0`,
          `t1`.`r`,
          CAST(CASE
            WHEN (
              `t1`.`r` = -1
            )
            AND NOT (
              NOT (
                FALSE OR FALSE OR ISNAN(`t1`.`s0`)
              )
            )
            THEN 1
            ELSE 0
          END AS BIGINT) AS `wide_s0`,
          CAST(CASE
            WHEN (
              `t1`.`r` = -1
            ) AND NOT (
              NOT (
                FALSE OR FALSE OR ISNAN(`t1`.`w`)
              )
            )
            THEN 1
            ELSE 0
          END AS BIGINT) AS `wide_w`,
          CASE
            WHEN (
              `t1`.`r` = -1
            ) AND (
              `t1`.`s0` >= 0
            ) AND (
              `t1`.`s0` <= 1
            )
            THEN CASE WHEN `t1`.`y` = 1 THEN `t1`.`s0` ELSE 1.0 - `t1`.`s0` END
            ELSE 1.0
          END AS `given_s0`
        FROM (
          SELECT
            `t0`.`y`,
            `t0`.`p` AS `s0`,
            `t0`.`w`,
            `t0`.`country` AS `b0`,
            CAST(CASE
              WHEN `t0`.`y` IS NULL
              THEN 0
              ELSE CASE
                WHEN `t0`.`p` IS NULL
                OR ISNAN(`t0`.`p`)
                OR (
                  IF(`t0`.`p` IS NULL OR ISNAN(`t0`.`p`), NULL, ISNAN(`t0`.`p`))
                  AND NOT (
                    `t0`.`p` IS NULL OR ISNAN(`t0`.`p`)
                  )
                )
                THEN 1
                ELSE CASE
                  WHEN `t0`.`w` IS NULL
                  OR ISNAN(`t0`.`w`)
                  OR (
                    IF(`t0`.`w` IS NULL OR ISNAN(`t0`.`w`), NULL, ISNAN(`t0`.`w`))
                    AND NOT (
                      `t0`.`w` IS NULL OR ISNAN(`t0`.`w`)
                    )
                  )
                  THEN 2
                  ELSE -1
                END
              END
            END AS BIGINT) AS `r`
          FROM `predictions` AS `t0`
        ) AS `t1`
      ) AS `t2`
    ) AS `t3`
    GROUP BY
      1,
      2,
      3
  ) AS `t4`
  LIMIT 800000
) AS `t6`;

-- each score
SELECT
  *
FROM (
  SELECT
    `t3`.`p`,
    `t3`.`s`,
    `t3`.`b0`,
    COUNT(*) AS `one`,
    COALESCE(SUM(`t3`.`w`), 0) AS `w`,
    COALESCE(SUM(`t3`.`ww`), 0) AS `ww`
  FROM (
    SELECT
      `t2`.`p` * 0 AS `m`,
      `t2`.`p`,
      `t2`.`s0` + 0.0 AS `s`,
      `t2`.`s0` + 0.0 AS `u`,
      `t2`.`w`,
      `t2`.`b0`,
      `t2`.`w` * `t2`.`w` AS `ww`
    FROM (
      SELECT
        CAST(CASE WHEN `t1`.`y` = 1 THEN 1 ELSE 0 END AS BIGINT) AS `p`,
        `t1`.`w`,
        `t1`.`b0`,
        `t1`.`s0`
      FROM (
        SELECT
          `t0`.`y`,
          `t0`.`p` AS `s0`,
          `t0`.`w`,
          `t0`.`country` AS `b0`,
          CAST(CASE
            WHEN `t0`.`y` IS NULL
            THEN 0
            ELSE CASE
              WHEN `t0`.`p` IS NULL
              OR ISNAN(`t0`.`p`)
              OR (
                IF(`t0`.`p` IS NULL OR ISNAN(`t0`.`p`), NULL, ISNAN(`t0`.`p`))
                AND NOT (
                  `t0`.`p` IS NULL OR ISNAN(`t0`.`p`)
                )
              )
              THEN 1
              ELSE CASE
                WHEN `t0`.`w` IS NULL
                OR ISNAN(`t0`.`w`)
                OR (
                  IF(`t0`.`w` IS NULL OR ISNAN(`t0`.`w`), NULL, ISNAN(`t0`.`w`))
                  AND NOT (
                    `t0`.`w` IS NULL OR ISNAN(`t0`.`w`)
                  )
                )
                THEN 2
                ELSE -1
              END
            END
          END AS BIGINT) AS `r`
        FROM `predictions` AS `t0`
      ) AS `t1`
      WHERE
        `t1`.`r` = -1
    ) AS `t2`
  ) AS `t3`
  GROUP BY
    1,
    2,
    3
) AS `t4`;

-- cells
SELECT
  *
FROM (
  SELECT
    `t3`.`p`,
    `t3`.`cell`,
    `t3`.`b0`,
    COUNT(*) AS `one`,
    COALESCE(SUM(`t3`.`w`), 0) AS `w`,
    COALESCE(SUM(`t3`.`ww`), 0) AS `ww`,
    MIN(`t3`.`u`) AS `low`,
    MAX(`t3`.`u`) AS `high`
  FROM (
    SELECT
      `t2`.`p` * 0 AS `m`,
      `t2`.`p`,
      `t2`.`s0` + 0.0 AS `s`,
      `t2`.`s0` + 0.0 AS `u`,
      `t2`.`w`,
      `t2`.`b0`,
      CAST(FLOOR((
        `t2`.`s0` + 0.0
      ) * 16384.0) AS BIGINT) AS `cell`,
      `t2`.`w` * `t2`.`w` AS `ww`
    FROM (
      SELECT
        CAST(CASE WHEN `t1`.`y` = 1 THEN 1 ELSE 0 END AS BIGINT) AS `p`,
        `t1`.`w`,
        `t1`.`b0`,
        `t1`.`s0`
      FROM (
        SELECT
          `t0`.`y`,
          `t0`.`p` AS `s0`,
          `t0`.`w`,
          `t0`.`country` AS `b0`,
          CAST(CASE
            WHEN `t0`.`y` IS NULL
            THEN 0
            ELSE CASE
              WHEN `t0`.`p` IS NULL
              OR ISNAN(`t0`.`p`)
              OR (
                IF(`t0`.`p` IS NULL OR ISNAN(`t0`.`p`), NULL, ISNAN(`t0`.`p`))
                AND NOT (
                  `t0`.`p` IS NULL OR ISNAN(`t0`.`p`)
                )
              )
              THEN 1
              ELSE CASE
                WHEN `t0`.`w` IS NULL
                OR ISNAN(`t0`.`w`)
                OR (
                  IF(`t0`.`w` IS NULL OR ISNAN(`t0`.`w`), NULL, ISNAN(`t0`.`w`))
                  AND NOT (
                    `t0`.`w` IS NULL OR ISNAN(`t0`.`w`)
                  )
                )
                THEN 2
                ELSE -1
              END
            END
          END AS BIGINT) AS `r`
        FROM `predictions` AS `t0`
      ) AS `t1`
      WHERE
        `t1`.`r` = -1
    ) AS `t2`
  ) AS `t3`
  GROUP BY
    1,
    2,
    3
) AS `t4`;

-- parts of cells
SELECT
  *
FROM (
  SELECT
    `t4`.`p`,
    `t4`.`cell`,
    `t4`.`part`,
    `t4`.`b0`,
    COUNT(*) AS `one`,
    COALESCE(SUM(`t4`.`w`), 0) AS `w`,
    COALESCE(SUM(`t4`.`ww`), 0) AS `ww`,
    MIN(`t4`.`u`) AS `low`,
    MAX(`t4`.`u`) AS `high`
  FROM (
    SELECT
      `t3`.`m`,
      `t3`.`p`,
      `t3`.`s`,
      `t3`.`u`,
      `t3`.`w`,
      `t3`.`b0`,
      `t3`.`c`,
      `t3`.`c` AS `cell`,
      CAST(CAST(FLOOR(
        CASE
          WHEN (
            `t3`.`u` * 16384.0 * 64.0
          ) IS NULL OR ISNAN(`t3`.`u` * 16384.0 * 64.0)
          THEN NULL
          ELSE GREATEST(LEAST(`t3`.`u` * 16384.0 * 64.0, 4.611686018427388e+18), -4.611686018427388E+18)
        END
      ) AS BIGINT) - (
        `t3`.`c` * 64.0
      ) AS BIGINT) AS `part`,
      `t3`.`w` * `t3`.`w` AS `ww`
    FROM (
      SELECT
        `t2`.`p` * 0 AS `m`,
        `t2`.`p`,
        `t2`.`s0` + 0.0 AS `s`,
        `t2`.`s0` + 0.0 AS `u`,
        `t2`.`w`,
        `t2`.`b0`,
        CAST(FLOOR(
          CASE
            WHEN (
              (
                `t2`.`s0` + 0.0
              ) * 16384.0
            ) IS NULL
            OR ISNAN((
              `t2`.`s0` + 0.0
            ) * 16384.0)
            THEN NULL
            ELSE GREATEST(
              LEAST((
                `t2`.`s0` + 0.0
              ) * 16384.0, 4.611686018427388e+18),
              -4.611686018427388E+18
            )
          END
        ) AS BIGINT) AS `c`
      FROM (
        SELECT
          CAST(CASE WHEN `t1`.`y` = 1 THEN 1 ELSE 0 END AS BIGINT) AS `p`,
          `t1`.`w`,
          `t1`.`b0`,
          `t1`.`s0`
        FROM (
          SELECT
            `t0`.`y`,
            `t0`.`p` AS `s0`,
            `t0`.`w`,
            `t0`.`country` AS `b0`,
            CAST(CASE
              WHEN `t0`.`y` IS NULL
              THEN 0
              ELSE CASE
                WHEN `t0`.`p` IS NULL
                OR ISNAN(`t0`.`p`)
                OR (
                  IF(`t0`.`p` IS NULL OR ISNAN(`t0`.`p`), NULL, ISNAN(`t0`.`p`))
                  AND NOT (
                    `t0`.`p` IS NULL OR ISNAN(`t0`.`p`)
                  )
                )
                THEN 1
                ELSE CASE
                  WHEN `t0`.`w` IS NULL
                  OR ISNAN(`t0`.`w`)
                  OR (
                    IF(`t0`.`w` IS NULL OR ISNAN(`t0`.`w`), NULL, ISNAN(`t0`.`w`))
                    AND NOT (
                      `t0`.`w` IS NULL OR ISNAN(`t0`.`w`)
                    )
                  )
                  THEN 2
                  ELSE -1
                END
              END
            END AS BIGINT) AS `r`
          FROM `predictions` AS `t0`
        ) AS `t1`
        WHERE
          `t1`.`r` = -1
      ) AS `t2`
    ) AS `t3`
    WHERE
      `t3`.`m` = 0
      AND `t3`.`c` >= 3.0
      AND `t3`.`c` <= 7.0
      AND IF(`t3`.`c` IS NULL, NULL, `t3`.`c` IN (3, 7))
  ) AS `t4`
  GROUP BY
    1,
    2,
    3,
    4
) AS `t5`;
