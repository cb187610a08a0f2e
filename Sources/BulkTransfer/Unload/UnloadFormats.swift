import SQLTypes

extension UnloadOptions {
    /// The one place where UNLOAD's words become formats.
    func outputFormat(_ style: ValueStyle) throws -> any RecordOutputFormat {
        switch format {
        case .text, .csv, .json: return TextOutput(self, style: style)
        case .parquet:
            throw SQLError(
                .featureNotSupported, "UNLOAD with PARQUET is not supported",
                hint: "Delimited text, CSV, FIXEDWIDTH and JSON can be written.")
        }
    }
}
