import SQLTypes

extension UnloadOptions {
    /// The one place where UNLOAD's words become formats.
    func outputFormat(_ style: ValueStyle) throws -> any RecordOutputFormat {
        switch format {
        case .text, .csv, .json: return TextOutput(self, style: style)
        case .parquet: return ParquetFormat(rowGroupBytes: rowGroupBytes)
        }
    }
}
