import ColumnVectors
import QueryPlan
import SQLTypes

extension FunctionKernel {
    /// A function over plain values, for rare functions over few rows: catalogs. The body sees rows with NULLs only
    /// when `nulls` is custom.
    static func values(
        _ nulls: NullHandling = .strict, _ body: @escaping (FunctionSite, [Datum]) throws -> Datum
    ) -> FunctionKernel {
        FunctionKernel(nulls: nulls) { site in
            { frame in
                let result = DatumResult(frame, site.result)
                try frame.forEachRow { row in
                    let arguments = site.arguments.indices.map { frame.datum($0, row, site.arguments[$0]) }
                    try result.put(row, try body(site, arguments))
                }
            }
        }
    }
}

extension FunctionFrame {
    /// The value of an argument: strings and integer forms, which is all that catalogs have.
    fileprivate func datum(_ argument: Int, _ row: Int, _ type: SQLType) -> Datum {
        if isNull(argument, row) { return .null }
        if type.physical == .string { return .string(Array(string(argument, row).bytes)) }
        if type.physical == .float64 { return .double(arguments[argument].values(Double.self)[row]) }
        return .integer(WideInput(self, argument, type)[row])
    }
}

/// Writes plain values into a result vector.
private struct DatumResult {
    private let frame: FunctionFrame
    private let isText: Bool
    private let numbers: WideOutput
    private let text: TextResult

    init(_ frame: FunctionFrame, _ type: SQLType) {
        self.frame = frame
        isText = type.physical == .string
        numbers = WideOutput(frame, type)
        text = TextResult(frame)
    }

    func put(_ row: Int, _ value: Datum) throws {
        switch value {
        case .string(let bytes) where isText:
            bytes.withUnsafeBufferPointer { text.buffer.append($0) }
            try text.put(row)
        case .integer(let number) where !isText: numbers.put(row, number)
        default:
            frame.resultValidity[row] = 0
            if isText { text.null(row) } else { numbers.put(row, 0) }
        }
    }
}

/// Functions that the session's catalog answers.
enum CatalogFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .currentUser, .currentDatabase, .currentSchema, .version, .backendPID: return .sessionFact(function)
        case .currentSetting: return currentSetting
        case .firstArgument: return firstArgument
        case .userByID, .currentUserID, .formatType, .isVisible, .viewDefinition, .constraintDefinition,
            .indexDefinition, .objectDescription, .columnDescription, .currentSchemas, .encodingName,
            .columnEncodingName, .lastQueryFact, .hasTablePrivilege, .hasSchemaPrivilege, .hasDatabasePrivilege,
            .hasColumnPrivilege, .hasFunctionPrivilege, .hasLanguagePrivilege, .hasAssumeRolePrivilege, .hasRole,
            .isMemberOf, .roleIsMemberOf, .relationID, .relationName, .typeID, .typeNameOfID, .namespaceID,
            .namespaceName,
            .procedureName, .procedureSignature, .makeAccessItem, .containsAccessItem, .relationSize, .databaseSize,
            .prettySize, .encodingNumber, .formatText,
            .clusterNamespace, .awsAccount, .defaultRole, .databaseCollation:
            return question(function)
        case .cancelBackend, .terminateBackend, .changeQueryPriority, .changeSessionPriority, .changeUserPriority,
            .setSetting:
            var kernel = question(function)
            kernel.deterministic = false
            return kernel
        default: return nil
        }
    }

    static func question(_ function: ScalarFunction) -> FunctionKernel {
        .values(FunctionTable.isStrict(function) ? .strict : .custom) { site, arguments in
            try site.context.facts.catalog(function, arguments)
        }
    }

    /// CURRENT_SETTING of a column; of a constant it is a constant itself.
    static let currentSetting = FunctionKernel.values { site, arguments in
        guard case .string(let name) = arguments[0] else { return .null }
        let failing = arguments.count < 2 || arguments[1] != .boolean(false)
        return try site.context.facts.setting(String(decoding: name, as: UTF8.self), errorIfUndefined: failing)
    }

    static let firstArgument = FunctionKernel.values { _, arguments in arguments[0] }
}
