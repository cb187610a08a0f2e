import SQLTypes

/// The manifest of a COPY: `{"entries": [{"url": "...", "mandatory": true, "meta": {"content_length": 123}}]}`.
enum LoadManifest {
    struct Entry: Hashable {
        var url = ""
        var mandatory = false
        var contentLength: Int64?

        func check(_ sizeBytes: Int64) throws {
            guard let expected = contentLength, expected != sizeBytes else { return }
            throw SQLError(
                .dataException, "The file '\(url)' has \(sizeBytes) bytes, but the manifest says \(expected)")
        }
    }

    static func parse(_ bytes: [UInt8], name: String) throws -> [Entry] {
        let manifest = try JSONDocument.parse(bytes, "manifest \"\(name)\"")
        guard case .array(let items)? = manifest["entries"] else {
            throw SQLError(.dataException, "manifest \"\(name)\" has no array \"entries\"")
        }
        return try items.enumerated().map { number, item in
            guard let url = item["url"]?.text, !url.isEmpty else {
                throw SQLError(.dataException, "entry \(number + 1) of manifest \"\(name)\" has no \"url\"")
            }
            var entry = Entry(url: url)
            if case .boolean(let mandatory)? = item["mandatory"] { entry.mandatory = mandatory }
            entry.contentLength = item["meta"]?["content_length"]?.integer
            return entry
        }
    }
}
