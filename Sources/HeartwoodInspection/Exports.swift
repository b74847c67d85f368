// `import HeartwoodInspection` alone suffices for its findings and errors.
@_exported public import HeartwoodFiles
