// So that `import HeartwoodInspection` alone is enough for its findings and errors.
@_exported public import HeartwoodFiles
