-- One row per dataset: the build of the program that ran. Datasets of one build merge: views that do not have the column dataset sum over them.
-- build VARCHAR: Digest of the program files and their cores; without program files, of the memory that was followed.
-- has_program BOOLEAN: True: a program file names what ran. Without one there are no functions, and no percentages.
-- first_dataset VARCHAR: The first dataset of the build, which the program is taken from.
-- dataset VARCHAR: Name of the directory of the dataset, its whole path where names are alike.
WITH d AS (
  SELECT s.dataset, coalesce(bool_or(i.role = 'symbols'), false) AS has_program,
         coalesce(list_sort(list(DISTINCT concat_ws('=', i.core, i.code_sha256)) FILTER (i.role = 'symbols')),
                  list_sort(list(DISTINCT concat_ws(' ', i.core, i.address, i.bytes, i.space, i.sha256)))) AS files
  FROM (SELECT DISTINCT dataset FROM sources) s LEFT JOIN images i USING (dataset)
  GROUP BY s.dataset)
SELECT left(md5(coalesce(files, [])::VARCHAR), 16) AS build, has_program, min(dataset) OVER (PARTITION BY files) AS first_dataset, dataset
FROM d;
