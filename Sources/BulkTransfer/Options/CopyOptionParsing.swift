import SQLTypes

extension CopyOptions {
    /// Checks names, duplicates, exclusions and values. The order of options does not matter.
    package init(parsing options: [RawCopyOption]) throws {
        self.init()
        var seen: [String: RawCopyOption] = [:]
        for option in try options.map(CopyOptions.canonical) {
            if seen.updateValue(option, forKey: option.name) != nil {
                throw SQLError(
                    .syntaxError, "conflicting or redundant options",
                    detail: "\(option.name) is given more than once.", position: option.position)
            }
        }
        access = try StorageAccess(seen)
        try CopyOptions.checkEncryption(seen, access)
        try CopyOptions.checkColumnar(seen)
        for (first, second) in CopyOptionNames.exclusions {
            if seen[first] != nil, let other = seen[second] {
                throw SQLError(.syntaxError, "\(first) cannot be used with \(second)", position: other.position)
            }
        }
        for format in ["JSON", "AVRO", "ORC"] where seen[format] != nil {
            guard let other = CopyOptionNames.textOnly.first(where: { seen[$0] != nil }) else { continue }
            throw SQLError(
                .syntaxError, "\(format) cannot be used with \(other)", position: seen[other]?.position)
        }
        for option in seen.values.sorted(by: { ($0.position ?? 0, $0.name) < ($1.position ?? 0, $1.name) }) {
            do { try apply(OptionReader(option)) } catch let error as SQLError { throw error.at(option.position) }
        }
        try finish(seen)
    }

    /// What the server has encrypted it decrypts by itself: the word is for files that a client has encrypted.
    private static func checkEncryption(_ seen: [String: RawCopyOption], _ access: StorageAccess) throws {
        guard let option = seen["ENCRYPTED"] else { return }
        if !option.values.isEmpty {
            throw SQLError(.syntaxError, "ENCRYPTED takes no value in COPY", position: option.position)
        }
        if access.masterKey != nil { return }
        throw SQLError(
            .syntaxError, "ENCRYPTED needs MASTER_SYMMETRIC_KEY",
            hint: "Files that S3 itself has encrypted are loaded without ENCRYPTED.", position: option.position)
    }

    /// In Redshift's words.
    private static func checkColumnar(_ seen: [String: RawCopyOption]) throws {
        guard seen["PARQUET"] != nil else {
            guard let option = seen["SERIALIZETOJSON"], seen["ORC"] == nil else { return }
            throw SQLError(
                .syntaxError, "SERIALIZETOJSON can only be used with PARQUET and ORC", position: option.position)
        }
        let others = seen.values.filter { !CopyOptionNames.columnar.contains($0.name) }
        guard let other = others.min(by: { ($0.position ?? 0, $0.name) < ($1.position ?? 0, $1.name) }) else { return }
        throw SQLError(
            .featureNotSupported, "\(other.name) argument is not supported for PARQUET based COPY",
            position: other.position)
    }

    /// Gives an option its one name; `FORMAT csv` becomes `CSV`.
    private static func canonical(_ option: RawCopyOption) throws -> RawCopyOption {
        var result = option
        result.name = CopyOptionNames.canonical(option.name)
        if result.name == "FORMAT" {
            guard let format = option.values.first else {
                throw SQLError(.syntaxError, "FORMAT needs a format name", position: option.position)
            }
            result = RawCopyOption(
                format.text.uppercased(), Array(option.values.dropFirst()), position: option.position)
            if result.name == "DELIMITED" || result.name == "TEXT" {
                throw SQLError(.syntaxError, "unknown COPY format \"\(format.text)\"", position: option.position)
            }
        }
        if CopyOptionNames.unsupported.contains(result.name) {
            throw SQLError(
                .featureNotSupported, "COPY with \(result.name) is not supported",
                hint: CopyOptionNames.hint(without: result.name),
                position: option.position)
        }
        guard CopyOptionNames.supported.contains(result.name) else {
            let hint = CopyOptionNames.suggestion(for: result.name).map { "Did you mean \($0)?" }
            throw SQLError(
                .syntaxError, "unknown COPY option \"\(option.name)\"", hint: hint, position: option.position)
        }
        return result
    }

    private mutating func apply(_ option: OptionReader) throws {
        switch option.name {
        case "CSV":
            layout = .csv(quote: try option.optionalCharacter("CSV quote character") ?? UInt8(ascii: "\""))
        case "PARQUET": try setParquet(option)
        case "QUOTE": layout = .csv(quote: try option.character("CSV quote character"))
        case "DELIMITER": delimiter = try option.character("COPY delimiter")
        case "FIXEDWIDTH": layout = .fixedWidth(try FixedField.list(try option.string()))
        case "JSON": layout = .json(try FieldMapping(option))
        case "AVRO": layout = .avro(try FieldMapping(option))
        case "ORC":
            guard option.option.values.isEmpty else { throw SQLError(.syntaxError, "ORC takes no value") }
            layout = .orc
        case "GZIP": compression = try option.flag(.gzip)
        case "BZIP2": compression = try option.flag(.bzip2)
        case "LZOP": compression = try option.flag(.lzop)
        case "ZSTD": compression = try option.flag(.zstd)
        case "NULL": nullAs = try CopyOptions.nullText(try option.string())
        case "ENCODING": encoding = try option.choice(Encoding.init(rawValue:))
        case "DATEFORMAT": try setDateFormat(option)
        case "TIMEFORMAT": try setTimeFormat(option)
        case "IGNOREHEADER": ignoreHeader = try option.integer(0...Int(Int32.max))
        case "MAXERROR": maxError = try option.integer(0...CopyOptions.maximumErrors)
        case "COMPROWS": compressionRows = try option.integer(1000...1_000_000_000)
        case "COMPUPDATE": compressionUpdate = try option.compressionUpdate()
        case "STATUPDATE": statisticsUpdate = try option.onOff() ? .on : .off
        case "ACCEPTINVCHARS":
            invalidCharacterReplacement = try option.optionalCharacter("replacement character") ?? UInt8(ascii: "?")
        default: try applyFlag(option)
        }
    }

    private mutating func applyFlag(_ option: OptionReader) throws {
        // All of them together are the statement's access.
        if CopyOptionNames.authorization.contains(option.name) { return }
        let on = try option.onOff()
        switch option.name {
        case "MANIFEST": manifest = on
        case "SERIALIZETOJSON": serializeToJSON = on
        case "ACCEPTANYDATE": acceptAnyDate = on
        case "BLANKSASNULL": blanksAsNull = on
        case "EMPTYASNULL": emptyAsNull = on
        case "ESCAPE": escape = on
        case "EXPLICIT_IDS": explicitIDs = on
        case "FILLRECORD": fillRecord = on
        case "IGNOREBLANKLINES": ignoreBlankLines = on
        case "REMOVEQUOTES": removeQuotes = on
        case "ROUNDEC": roundDecimals = on
        case "TRIMBLANKS": trimBlanks = on
        case "TRUNCATECOLUMNS": truncateColumns = on
        case "IGNOREALLERRORS": ignoreAllErrors = on
        case "NOLOAD": noLoad = on
        default: throw SQLError(.internalError, "COPY option \(option.name) is not handled")
        }
    }

    private mutating func setParquet(_ option: OptionReader) throws {
        layout = .parquet
        guard let value = option.option.values.first else { return }
        guard option.option.values.count == 1, value.text.uppercased() == "SERIALIZETOJSON" else {
            throw SQLError(.syntaxError, "PARQUET takes no value \"\(value.text)\"")
        }
        serializeToJSON = true
    }

    private mutating func setDateFormat(_ option: OptionReader) throws {
        dateFormatText = try option.string()
        // The epoch words are for TIMEFORMAT only.
        guard dateFormatText != "epochsecs" && dateFormatText != "epochmillisecs" else {
            throw SQLError(.invalidParameterValue, "\(dateFormatText) cannot be used as DATEFORMAT")
        }
        dateFormat = try CopyDatetimeFormat(option: dateFormatText)
    }

    private mutating func setTimeFormat(_ option: OptionReader) throws {
        timeFormatText = try option.string()
        timeFormat = try CopyDatetimeFormat(option: timeFormatText)
    }

    private mutating func finish(_ seen: [String: RawCopyOption]) throws {
        guard case .csv(let quote) = layout else { return }
        if seen["CSV"] == nil {
            throw SQLError(.syntaxError, "QUOTE can only be used with CSV", position: seen["QUOTE"]?.position)
        }
        if let option = seen["QUOTE"] {
            layout = .csv(quote: try OptionReader(option).character("CSV quote character"))
        }
        if seen["DELIMITER"] == nil { delimiter = UInt8(ascii: ",") }
        if delimiter == quote {
            throw SQLError(
                .syntaxError, "COPY delimiter and CSV quote character must be different",
                position: seen["QUOTE"]?.position ?? seen["DELIMITER"]?.position)
        }
    }

    /// `\0` is the NUL byte; everything else stands for itself.
    private static func nullText(_ text: String) throws -> [UInt8] {
        if text == "\\0" || text == "\\000" { return [0] }
        let bytes = Array(text.utf8)
        if bytes.contains(10) || bytes.contains(13) {
            throw SQLError(.invalidParameterValue, "COPY null representation cannot use newline or carriage return")
        }
        if bytes.count > 1024 {
            throw SQLError(.invalidParameterValue, "COPY null representation must be at most 1024 bytes")
        }
        return bytes
    }
}

extension CopyOptions.FixedField {
    /// `id:3,name:20`; labels are only for the reader.
    static func list(_ text: String) throws -> [CopyOptions.FixedField] {
        var fields: [CopyOptions.FixedField] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            let digits = halves.last.map { $0.filter { $0 != " " } } ?? ""
            guard halves.count == 2, let width = Int(digits), (1...65_535).contains(width) else {
                throw SQLError(
                    .invalidParameterValue, "invalid FIXEDWIDTH specification \"\(part)\"",
                    hint: "Write label:width pairs with commas between them, as in 'id:5,name:20'.")
            }
            fields.append(CopyOptions.FixedField(label: String(halves[0].filter { $0 != " " }), width: width))
        }
        return fields
    }
}
