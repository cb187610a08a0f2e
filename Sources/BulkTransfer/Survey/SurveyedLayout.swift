import SQLTypes

/// How files are read, and which columns they have; types where the files say them.
struct SurveyedLayout {
    struct Column {
        var name: String
        /// nil: to be found out from the values.
        var type: SQLType?
    }
    private(set) var format = "CSV"
    private(set) var columns: [Column] = []
    private(set) var options: [RawCopyOption] = []
    private(set) var notes: [String] = []

    init(_ head: FileHead, _ source: any LoadSource, _ object: LoadObject, _ request: FileSurvey.Request) throws {
        if head.magic.starts(with: Array("PAR1".utf8)) {
            try readParquet(try source.open(object), object)
        } else if head.magic.starts(with: Array("ORC".utf8)) {
            try readORC(try source.open(object), object)
        } else if head.magic.starts(with: AvroFile.magic) {
            try readAvro(try source.open(object), object)
        } else {
            try readText(head, object, request)
        }
        if columns.isEmpty { throw SQLError(.dataException, "file \"\(object.name)\" has no columns") }
        if columns.count > 1600 {
            throw SQLError(
                .limitExceeded, "file \"\(object.name)\" has \(columns.count) columns; a table has at most 1600")
        }
    }

    // MARK: Text

    private mutating func readText(_ head: FileHead, _ object: LoadObject, _ request: FileSurvey.Request) throws {
        let start = Array(head.text.lazy.filter { !JSONToken.isBlank($0) }.prefix(2))
        if start == Array("[{".utf8), request.delimiter == nil {
            throw SQLError(
                .featureNotSupported, "file \"\(object.name)\" is one JSON array",
                detail: "COPY reads JSON records one after the other, without an array around them.",
                hint: "\"jq -c '.[]' FILE\" makes a line of each element; --delimiter says that it is text.")
        }
        if start.first == UInt8(ascii: "{"), request.delimiter == nil {
            readJSON(head)
        } else {
            readDelimited(head, request)
        }
        if head.compression != .none { options.append(RawCopyOption(head.compression.rawValue)) }
        guard head.encoding != .utf8 else { return }
        options.append(RawCopyOption("ENCODING", [.word(head.encoding.rawValue)]))
        if head.encoding == .iso88591 { notes.append("The text is not UTF-8; it is taken for ISO 8859-1.") }
    }

    private mutating func readDelimited(_ head: FileHead, _ request: FileSurvey.Request) {
        let found = DelimitedHead(head, request)
        options.append(RawCopyOption("CSV"))
        if found.delimiter != UInt8(ascii: ",") {
            let text =
                switch found.delimiter {
                case 9: "\\t"
                case 1: "\\001"
                default: String(decoding: [found.delimiter], as: UTF8.self)
                }
            options.append(RawCopyOption("DELIMITER", [.string(text)]))
        }
        if found.names != nil { options.append(RawCopyOption("IGNOREHEADER", [.number("1")])) }
        var naming = ColumnNaming()
        for place in 0..<found.fieldCount {
            columns.append(Column(name: naming.name(found.names?[place] ?? "", place: place)))
        }
    }

    private mutating func readJSON(_ head: FileHead) {
        format = "JSON"
        let keys = JSONKeys(head)
        nameMembers(keys.keys)
        if keys.isDamaged { notes.append("Some of the first records are no JSON; COPY will tell.") }
        addMapping("JSON")
    }

    /// Members are found by their names, so columns have to be called as they are, but for the case.
    private mutating func nameMembers(_ keys: [String]) {
        var known: Set<String> = []
        for key in keys {
            let name = ColumnNaming.folded(key)
            if name.isEmpty || name.utf8.count > 127 || !known.insert(name).inserted {
                notes.append("The member \"\(key.prefix(127))\" has no column.")
                continue
            }
            hasCapitals = hasCapitals || name != key
            columns.append(Column(name: name))
        }
    }
    private var hasCapitals = false

    private mutating func addMapping(_ word: String) {
        options.append(RawCopyOption(word, [.string(hasCapitals ? "auto ignorecase" : "auto")]))
    }

    // MARK: Files with a schema

    private mutating func readParquet(_ input: any LoadInput, _ object: LoadObject) throws {
        format = "Parquet"
        let schema = try ParquetFile.schema(input, object)
        var naming = ColumnNaming()
        var isNested = false
        for (place, column) in schema.columns.enumerated() {
            isNested = isNested || column.isNested
            let type = column.isNested ? nil : schema.leaves[column.leaves.lowerBound].tableType
            columns.append(
                Column(
                    name: naming.name(column.name, place: place),
                    type: type ?? .varchar(SQLType.maximumVarcharLength)))
        }
        options.append(RawCopyOption("PARQUET"))
        if isNested { options.append(RawCopyOption("SERIALIZETOJSON")) }
    }

    private mutating func readORC(_ input: any LoadInput, _ object: LoadObject) throws {
        format = "ORC"
        let footer = try ORCFile(input, index: 0, name: object.name, size: object.sizeBytes).footer
        var naming = ColumnNaming()
        for (place, child) in footer.types[0].children.enumerated() {
            let name = footer.types[0].names.indices.contains(place) ? footer.types[0].names[place] : ""
            columns.append(Column(name: naming.name(name, place: place), type: footer.types[child].tableType))
        }
        options.append(RawCopyOption("ORC"))
        let isNested = footer.types[0].children.contains { ORCType(rawValue: footer.types[$0].kind)?.isNested == true }
        if isNested { options.append(RawCopyOption("SERIALIZETOJSON")) }
    }

    private mutating func readAvro(_ input: any LoadInput, _ object: LoadObject) throws {
        format = "Avro"
        let schema = try AvroFile(input, index: 0, name: object.name).schema
        guard case .record(let fields) = schema.types[schema.root].kind else { return }
        var types: [String: SQLType] = [:]
        for field in fields {
            let name = String(decoding: field.name, as: UTF8.self)
            types[ColumnNaming.folded(name)] = schema.tableType(field.type)
        }
        nameMembers(fields.map { String(decoding: $0.name, as: UTF8.self) })
        for index in columns.indices { columns[index].type = types[columns[index].name] }
        addMapping("AVRO")
    }
}
