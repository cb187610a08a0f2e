import SQLTypes

/// The manifest of an UNLOAD, which COPY takes: `{"entries": [{"url": "..."}]}`; VERBOSE adds what is in the files.
struct UnloadManifest {
    var files: [(url: String, file: UnloadedFile)]
    var columns: [OutputColumn]
    var isVerbose: Bool

    func text() -> [UInt8] {
        let buffer = TextBuffer(capacity: 1024)
        buffer.append("{\n  \"entries\": [")
        for (index, entry) in files.enumerated() {
            buffer.append(index == 0 ? "\n" : ",\n")
            buffer.append("    {\"url\":")
            append(entry.url, to: buffer)
            if isVerbose {
                buffer.append(", \"meta\": { \"content_length\": ")
                IntegerText.append(entry.file.bytes, to: buffer)
                buffer.append(", \"record_count\": ")
                IntegerText.append(Int64(entry.file.rows), to: buffer)
                buffer.append(" }")
            }
            buffer.append("}")
        }
        buffer.append(files.isEmpty ? "]" : "\n  ]")
        if isVerbose { appendFacts(to: buffer) }
        buffer.append("\n}\n")
        return buffer.array
    }

    private func appendFacts(to buffer: TextBuffer) {
        buffer.append(",\n  \"schema\": {\n    \"elements\": [")
        for (index, column) in columns.enumerated() {
            buffer.append(index == 0 ? "\n" : ",\n")
            buffer.append("      {\"name\": ")
            append(column.name, to: buffer)
            buffer.append(", \"type\": { ")
            appendType(column.type, to: buffer)
            buffer.append(" }}")
        }
        buffer.append("\n    ]\n  },\n  \"meta\": {\n    \"content_length\": ")
        IntegerText.append(files.reduce(0) { $0 + $1.file.bytes }, to: buffer)
        buffer.append(",\n    \"record_count\": ")
        IntegerText.append(files.reduce(0) { $0 + Int64($1.file.rows) }, to: buffer)
        buffer.append("\n  },\n  \"author\": {\n    \"name\": \"Redbarn\",\n    \"version\": \"1.0.0\"\n  }")
    }

    private func appendType(_ type: SQLType, to buffer: TextBuffer) {
        buffer.append("\"base\": ")
        append(type.nameWithoutModifiers, to: buffer)
        if case .decimal(let precision, let scale) = type {
            buffer.append(", \"precision\": ")
            IntegerText.append(Int64(precision), to: buffer)
            buffer.append(", \"scale\": ")
            IntegerText.append(Int64(scale), to: buffer)
        } else if let length = type.length {
            buffer.append(", \"max_length\": ")
            IntegerText.append(Int64(length), to: buffer)
        }
    }

    private func append(_ text: String, to buffer: TextBuffer) {
        var text = text
        text.withUTF8 { appendJSON($0, to: buffer) }
    }
}
