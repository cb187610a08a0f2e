import SQLTypes

/// A stored procedure in PL/pgSQL: its text, which is compiled when it is called.
package struct ProcedureDefinition: ObjectDefinition, Hashable {
    package struct Parameter: Hashable, Sendable {
        package enum Mode: UInt8, Sendable, Hashable, CaseIterable {
            case input = 0, output = 1, inputOutput = 2
            /// As CREATE PROCEDURE writes it.
            package var word: String {
                switch self {
                case .input: "IN"
                case .output: "OUT"
                case .inputOutput: "INOUT"
                }
            }
            /// `proargmodes`.
            package var letter: String {
                switch self {
                case .input: "i"
                case .output: "o"
                case .inputOutput: "b"
                }
            }
        }
        package var name: String?
        package var mode: Mode
        package var type: SQLType
        /// A REFCURSOR: the name of a cursor, kept as text.
        package var isCursor: Bool
        package init(name: String?, mode: Mode, type: SQLType, isCursor: Bool = false) {
            self.name = name
            self.mode = mode
            self.type = type
            self.isCursor = isCursor
        }

        package var takesValue: Bool { mode != .output }
        package var returnsValue: Bool { mode != .input }
        /// As statements write it.
        package var typeName: String { isCursor ? "refcursor" : "\(type)" }
        /// Without lengths, as signatures have it.
        package var typeWord: String { isCursor ? "refcursor" : type.nameWithoutModifiers }
    }
    /// `SET name TO value`: a parameter of the session while the procedure runs.
    package struct Setting: Hashable, Sendable {
        package var name: String
        package var value: String
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var id: ObjectID
    package var schema: String
    /// Without arguments; see ``signature``.
    package var name: String
    package var parameters: [Parameter]
    /// SECURITY DEFINER: it runs in its owner's name.
    package var isDefiner: Bool
    /// Each statement is committed by itself.
    package var isNonatomic: Bool
    package var settings: [Setting]
    @ExactText package var body: String
    package var owner: Int
    @ExactComment package var comment: String?
    package init(
        id: ObjectID, schema: String, name: String, parameters: [Parameter], isDefiner: Bool = false,
        isNonatomic: Bool = false, settings: [Setting] = [], body: String, owner: Int, comment: String? = nil
    ) {
        self.id = id
        self.schema = schema
        self.name = name
        self.parameters = parameters
        self.isDefiner = isDefiner
        self.isNonatomic = isNonatomic
        self.settings = settings
        self.body = body
        self.owner = owner
        self.comment = comment
    }

    package var kind: ObjectKind { .procedure }
    package var object: CatalogObject { .procedure(self) }
    package var columnIDs: [Int32] { [] }
    /// A body's names mean something only when it runs, as in Redshift: nothing keeps what it uses from being dropped.
    package var references: [ObjectReference] { [] }
    package var inputs: [Parameter] { parameters.filter(\.takesValue) }
    package var outputs: [Parameter] { parameters.filter(\.returnsValue) }
    /// What tells it from others of its name in the schema: the types of what it takes, without lengths.
    package var signature: String { ProcedureDefinition.signature(name, inputs.map(\.typeWord)) }
    package static func signature(_ name: String, _ types: [String]) -> String {
        name + "(" + types.joined(separator: ", ") + ")"
    }
}
