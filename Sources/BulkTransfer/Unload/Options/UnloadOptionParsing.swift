import SQLTypes

extension UnloadOptions {
    /// Checks names, duplicates, exclusions and values. The order of options does not matter; PARTITION BY is not among
    /// them, because its columns are names.
    package init(parsing options: [RawCopyOption]) throws {
        self.init()
        var seen: [String: RawCopyOption] = [:]
        for option in try options.map(UnloadOptions.canonical) {
            if seen.updateValue(option, forKey: option.name) != nil {
                throw SQLError(
                    .syntaxError, "conflicting or redundant options",
                    detail: "\(option.name) is given more than once.", position: option.position)
            }
        }
        access = try StorageAccess(seen)
        for (first, second) in UnloadOptionNames.exclusions {
            if let one = seen[first], let other = seen[second] {
                let place = max(one.position ?? 0, other.position ?? 0)
                throw SQLError(
                    .syntaxError, "\(first) cannot be used with \(second)", position: place > 0 ? place : nil)
            }
        }
        for option in seen.values.sorted(by: { ($0.position ?? 0, $0.name) < ($1.position ?? 0, $1.name) }) {
            do { try apply(OptionReader(option)) } catch let error as SQLError { throw error.at(option.position) }
        }
        try finish(seen)
    }

    private static func canonical(_ option: RawCopyOption) throws -> RawCopyOption {
        var result = option
        result.name = CopyOptionNames.canonical(option.name)
        guard UnloadOptionNames.all.contains(result.name) else {
            let hint = UnloadOptionNames.suggestion(for: result.name).map { "Did you mean \($0)?" }
            throw SQLError(
                .syntaxError, "unknown UNLOAD option \"\(option.name)\"", hint: hint, position: option.position)
        }
        return result
    }

    private mutating func apply(_ option: OptionReader) throws {
        switch option.name {
        case "CSV", "PARQUET", "JSON": format = try option.bare(Format(rawValue: option.name) ?? .text)
        case "GZIP", "BZIP2", "ZSTD": compression = try option.bare(Compression(rawValue: option.name) ?? .none)
        case "DELIMITER": delimiter = try option.character("UNLOAD delimiter")
        case "FIXEDWIDTH": fixedFields = try CopyOptions.FixedField.list(try option.string())
        case "NULL": nullAs = try UnloadOptions.nullText(try option.string())
        case "MANIFEST": manifest = try option.manifest()
        case "MAXFILESIZE":
            maximumFileBytes = try option.size(
                UnloadOptions.smallestFile...UnloadOptions.largestFile, "5 MB and 6.2 GB")
        case "ROWGROUPSIZE": rowGroupBytes = Int(try option.size(32 << 20...128 << 20, "32 MB and 128 MB"))
        case "EXTENSION": nameExtension = try UnloadOptions.checkedExtension(try option.string())
        case "PARALLEL": parallel = try option.onOff()
        default: try applyFlag(option)
        }
    }

    private mutating func applyFlag(_ option: OptionReader) throws {
        if UnloadOptionNames.authorization.contains(option.name) { return }
        switch option.name {
        // Encryption on the server's side is the object store's business: files of a disk stay as they are.
        case "ENCRYPTED":
            let isAutomatic = option.option.values.first?.text.uppercased() == "AUTO"
            if access.encryption == nil { access.encryption = isAutomatic ? .managedKey(nil) : .storeKeys }
        case "KMS_KEY_ID": access.encryption = .managedKey(try option.string())
        case "ADDQUOTES": addQuotes = try option.onOff()
        case "ESCAPE": escape = try option.onOff()
        case "HEADER": header = try option.onOff()
        case "ALLOWOVERWRITE": allowOverwrite = try option.onOff()
        case "CLEANPATH": cleanPath = try option.onOff()
        default: throw SQLError(.internalError, "UNLOAD option \(option.name) is not handled")
        }
    }

    private mutating func finish(_ seen: [String: RawCopyOption]) throws {
        if format == .csv, seen["DELIMITER"] == nil { delimiter = UInt8(ascii: ",") }
        if format == .csv, delimiter == UInt8(ascii: "\"") {
            throw SQLError(
                .invalidParameterValue, "UNLOAD delimiter and CSV quote character must be different",
                position: seen["DELIMITER"]?.position)
        }
        if let option = seen["ROWGROUPSIZE"], format != .parquet {
            throw SQLError(.syntaxError, "ROWGROUPSIZE can only be used with PARQUET", position: option.position)
        }
        if let option = seen["KMS_KEY_ID"], seen["ENCRYPTED"] == nil {
            throw SQLError(.syntaxError, "KMS_KEY_ID needs ENCRYPTED", position: option.position)
        }
        try finishEncryption(seen)
    }

    /// Files are encrypted here or by the store, not both.
    private mutating func finishEncryption(_ seen: [String: RawCopyOption]) throws {
        guard access.masterKey != nil, let option = seen["ENCRYPTED"] else { return }
        if !option.values.isEmpty || seen["KMS_KEY_ID"] != nil {
            let other = option.values.isEmpty ? "KMS_KEY_ID" : "AUTO"
            throw SQLError(
                .syntaxError, "MASTER_SYMMETRIC_KEY cannot be used with \(other)", position: option.position)
        }
        access.encryption = nil
        maximumFileBytes -= EncryptionEnvelope.largestOverheadBytes
    }

    private static func nullText(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes.contains(10) || bytes.contains(13) || bytes.contains(0) {
            throw SQLError(.invalidParameterValue, "UNLOAD null representation cannot use newline or carriage return")
        }
        if bytes.count > 1024 {
            throw SQLError(.invalidParameterValue, "UNLOAD null representation must be at most 1024 bytes")
        }
        return bytes
    }

    /// With its dot. It is a part of file names, not of their folders.
    private static func checkedExtension(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 32 && $0 != UInt8(ascii: "/") && $0 != 127 }
        guard !text.isEmpty, text.utf8.count <= 64, isPlain else {
            throw SQLError(.invalidParameterValue, "\"\(text)\" is not a file name extension")
        }
        return text.hasPrefix(".") ? text : "." + text
    }
}

extension OptionReader {
    /// An option that takes no value.
    fileprivate func bare<Value>(_ value: Value) throws -> Value {
        if option.values.isEmpty { return value }
        throw SQLError(.syntaxError, "\(name) takes no value")
    }

    fileprivate func manifest() throws -> UnloadOptions.Manifest {
        guard let word = option.values.first else { return .plain }
        if option.values.count == 1, word.text.uppercased() == "VERBOSE" { return .verbose }
        return try onOff() ? .plain : .none
    }

    /// `5 MB`, `1.5 GB`; megabytes without a unit.
    fileprivate func size(_ range: ClosedRange<Int64>, _ borders: String) throws -> Int64 {
        guard let number = option.values.first, case .number(let digits) = number, let amount = Double(digits),
            option.values.count <= 2
        else { throw SQLError(.syntaxError, "\(name) needs a number and MB or GB") }
        var unit = 1 << 20
        if option.values.count == 2 {
            switch option.values[1].text.uppercased() {
            case "MB": break
            case "GB": unit = 1 << 30
            default: throw SQLError(.syntaxError, "\(name) needs a number and MB or GB")
            }
        }
        let bytes = amount * Double(unit)
        guard bytes.isFinite, bytes >= Double(range.lowerBound), bytes < Double(range.upperBound) + 1 else {
            throw SQLError(.invalidParameterValue, "\(name) must be between \(borders)")
        }
        return min(Int64(bytes), range.upperBound)
    }
}
