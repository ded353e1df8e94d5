-- One row per dataset: the labels that it was given at export.
-- run VARCHAR: Label run; NULL if it was not given.
-- test VARCHAR: Label test; NULL if it was not given.
-- labels JSON: All labels, as a JSON object of key and value.
-- dataset VARCHAR: Name of the directory of the dataset, its whole path where names are alike.
SELECT labels->>'$.run' AS run, labels->>'$.test' AS test, labels,
       dataset_of(regexp_replace(filename, 'manifest[.]json$', 'x/x')) AS dataset
FROM read_json(tracelake_files('manifest.json'), columns = {'labels': 'JSON'}, filename = true);
