/// Redshift's column encodings by name; `auto` lets the store choose by trying on a sample.
package enum ColumnEncoding: String, Sendable, CaseIterable {
    case auto, raw, az64, bytedict, delta, delta32k, lzo, mostly8, mostly16, mostly32, runlength, text255, text32k, zstd

    /// Redshift's table of encodings and types.
    package func isAllowed(_ type: SQLType) -> Bool {
        self == .auto || self == .raw || type.descriptor.encodings.contains(self)
    }
}
