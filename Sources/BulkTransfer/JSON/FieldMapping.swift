import Catalog
import SQLTypes

/// Which values of a JSON or Avro record fill which columns.
package enum FieldMapping: Sendable, Hashable {
    /// Members of the columns' names.
    case auto
    case autoIgnoringCase
    /// Paths in the order of the columns, in a file that has not been read yet; a name as sources know it.
    case pathsFile(String)
    case list([JSONPath])
    /// The record as a whole, into one column of SUPER.
    case noshred

    /// Reads the JSONPaths file.
    func resolved(_ source: any LoadSource) throws -> FieldMapping {
        guard case .pathsFile(let location) = self else { return self }
        let bytes = try source.readCompanion(location, limit: JSONPathsFile.largestBytes)
        guard let paths = try JSONPathsFile.parse(bytes, name: location) else { return .auto }
        return .list(paths)
    }

    func check(_ target: RecordTarget) throws {
        if self == .noshred {
            guard target.fields.count == 1, target.table.columns[target.fields[0]].type == .semistructured else {
                throw SQLError(
                    .invalidParameterValue, "'noshred' loads records into one column of type SUPER",
                    hint: "Name that column behind the table.")
            }
        }
        guard case .list(let paths) = self, paths.count != target.fields.count else { return }
        throw SQLError(
            .invalidParameterValue,
            "Number of jsonpaths and the number of columns should match. JSONPath size: \(paths.count), "
                + "Number of columns in table or column list: \(target.fields.count)")
    }

    /// The way to the value of each field.
    func paths(_ target: RecordTarget) -> [JSONPath] {
        switch self {
        case .list(let paths): paths
        case .noshred: [JSONPath(steps: [])]
        case .auto, .pathsFile:
            target.fields.map { JSONPath(steps: [.member(Array(target.table.columns[$0].name.utf8))]) }
        case .autoIgnoringCase:
            target.fields.map { JSONPath(steps: [.member(Array(lowered(target.table.columns[$0].name).utf8))]) }
        }
    }

    /// ASCII letters only, as the look-up of keys does it.
    private func lowered(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// `'auto'`, `'auto ignorecase'` or the place of a JSONPaths file; nothing means 'auto'.
    init(_ option: OptionReader) throws {
        guard !option.option.values.isEmpty else {
            self = .auto
            return
        }
        let text = try option.text()
        switch text {
        case "auto": self = .auto
        case "auto ignorecase": self = .autoIgnoringCase
        case "noshred": self = .noshred
        case "":
            throw SQLError(.invalidParameterValue, "\(option.name) needs 'auto', 'auto ignorecase' or a JSONPaths file")
        default: self = .pathsFile(text)
        }
    }
}
