import SQLTypes

/// A bucket, and a key or the beginning of keys in it.
struct S3Location: Sendable, Hashable {
    var bucket: String
    var key: String

    var url: String { "s3://\(bucket)/\(key)" }

    /// - Parameter location: `s3://bucket/key`. The name of a bucket becomes a part of a host or of a path: it has
    ///   no other characters than S3 allows.
    init(_ location: String) throws {
        guard let colon = location.firstRange(of: "://") else {
            throw SQLError(.invalidParameterValue, "\"\(location)\" is no location in S3")
        }
        let rest = location[colon.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        bucket = String(rest[..<slash])
        key = String(rest[slash...].dropFirst())
        if bucket.isEmpty { throw SQLError(.invalidParameterValue, "\"\(location)\" names no bucket") }
        let isPlain = bucket.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, bucket.utf8.count <= 255, !bucket.hasPrefix("."), !bucket.hasSuffix("."),
            !bucket.contains("..")
        else { throw SQLError(.invalidParameterValue, "\"\(bucket)\" is no name of a bucket") }
        if key.utf8.count > 1024 {
            throw SQLError(.invalidParameterValue, "key \"\(key.prefix(64))...\" is longer than 1,024 bytes")
        }
    }

    init(bucket: String, key: String) {
        self.bucket = bucket
        self.key = key
    }
}
