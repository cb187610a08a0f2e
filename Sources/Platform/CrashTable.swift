import CSignals
import Glibc

/// What the sessions of a serving process run, and how it died: in memory that its parent shares, so that the dying
/// process has next to nothing to do. The serving process writes, the parent reads when the process is gone.
public final class CrashTable: @unchecked Sendable {  // the parts are written by one thread each, see ``StatementSlot``
    private let table: UnsafeMutablePointer<rb_crash_table>

    private init(_ table: UnsafeMutablePointer<rb_crash_table>) { self.table = table }

    // MARK: The parent

    /// - Parameter slots: sessions that it has room for; others go unnoticed.
    /// - Returns: the table and the descriptor that a child process inherits; nil when the system refuses.
    public static func make(slots: Int) -> (table: CrashTable, descriptor: Int32)? {
        var descriptor: Int32 = -1
        guard let table = rb_make_crash_table(UInt32(clamping: slots), &descriptor) else { return nil }
        rb_clear_crash_table(table)
        return (CrashTable(table), descriptor)
    }

    /// For the next life of the process; ports stay.
    public func clear() { rb_clear_crash_table(table) }

    /// How the process died, as far as its signal handler came.
    public struct Death: Sendable {
        public var signal: Int32
        /// What the thread worked for.
        public var slot: Int?
        /// That could not be read or written; 0 where nothing of the kind happened.
        public var address: UInt64
    }
    public var death: Death? {
        if table.pointee.died == 0 { return nil }
        let slot = Int(table.pointee.slot)
        return Death(
            signal: table.pointee.signal, slot: slot < 0 ? nil : slot, address: table.pointee.address)
    }

    /// The stack of the thread that died, innermost first.
    public var stack: [String] {
        (0..<min(table.pointee.frame_count, UInt32(RB_FRAMES))).map { index in
            var text = [CChar](repeating: 0, count: CrashTable.frameBytes)
            rb_describe_frame(table, index, &text, text.count)
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
    private static let frameBytes = 600

    public struct Running: Sendable {
        public var slot: Int
        public var session: Int
        public var user: Int
        public var userName: String
        public var query: Int
        public var hash: UInt64
        public var startMicroseconds: Int64
        public var text: String
    }
    /// Statements that were at work.
    public var running: [Running] {
        (0..<Int(table.pointee.slot_count)).compactMap { index in
            let slot = rb_slot_at(table, UInt32(index))
            guard slot.pointee.state == StatementSlot.running else { return nil }
            func string(_ start: UnsafeMutablePointer<UInt8>, _ length: UInt32, _ limit: Int) -> String {
                String(decoding: UnsafeBufferPointer(start: start, count: min(Int(length), limit)), as: UTF8.self)
            }
            return Running(
                slot: index, session: Int(slot.pointee.session), user: Int(slot.pointee.user),
                userName: string(rb_slot_name(slot), slot.pointee.name_length, RB_SLOT_NAME),
                query: Int(slot.pointee.query), hash: slot.pointee.hash,
                startMicroseconds: slot.pointee.start_microseconds,
                text: string(rb_slot_text(slot), slot.pointee.text_length, RB_SLOT_TEXT))
        }
    }

    // MARK: The serving process

    /// The table of the parent; nil when the descriptor is none of this program's.
    public static func adopt(descriptor: Int32) -> CrashTable? {
        rb_adopt_crash_table(descriptor).map { CrashTable($0) }
    }

    /// This process ends when its parent does; false when that is gone already.
    public static func endWithParent(_ parent: Int32) -> Bool { rb_end_with_parent(parent) == 0 }

    /// From now on deadly signals are noted here and end the process at once. Before other threads start.
    public func noteDeadlySignals() { rb_note_deadly_signals(table) }

    /// The same without a parent: a line on standard error.
    public static func announceDeadlySignals() { rb_note_deadly_signals(nil) }

    public var isReady: Bool {
        get { table.pointee.is_ready != 0 }
        set { table.pointee.is_ready = newValue ? 1 : 0 }
    }
    /// Where it listens, for the next life; 0 before it does.
    public var port: Int {
        get { Int(table.pointee.port) }
        set { table.pointee.port = Int32(clamping: newValue) }
    }
    public var httpPort: Int {
        get { Int(table.pointee.http_port) }
        set { table.pointee.http_port = Int32(clamping: newValue) }
    }

    /// nil when there are more sessions than slots.
    public func takeSlot(session: Int, userName: String) -> StatementSlot? {
        let index = rb_take_slot(table)
        return index < 0 ? nil : StatementSlot(rb_slot_at(table, UInt32(index)), index, session, userName)
    }
}

/// Where one session says what it runs. Confined to the session's thread but for its end.
public final class StatementSlot: @unchecked Sendable {
    static let free: UInt32 = 0
    static let idle: UInt32 = 1
    static let running: UInt32 = 2
    /// Bytes of a statement's text that are kept.
    public static let textBytes = Int(RB_SLOT_TEXT)
    private let slot: UnsafeMutablePointer<rb_statement_slot>
    private let index: Int32

    init(_ slot: UnsafeMutablePointer<rb_statement_slot>, _ index: Int32, _ session: Int, _ userName: String) {
        self.slot = slot
        self.index = index
        slot.pointee.session = Int32(truncatingIfNeeded: session)
        slot.pointee.name_length = StatementSlot.copy(userName, rb_slot_name(slot), RB_SLOT_NAME)
    }
    deinit { rb_set_slot_state(slot, StatementSlot.free) }

    private static func copy(_ text: String, _ target: UnsafeMutablePointer<UInt8>, _ limit: Int) -> UInt32 {
        var text = text
        return text.withUTF8 { bytes in
            let count = min(bytes.count, limit)
            if let base = bytes.baseAddress { target.update(from: base, count: count) }
            return UInt32(count)
        }
    }

    /// This thread works for a statement from now on.
    ///
    /// - Parameters:
    ///   - text: what may be shown of it.
    ///   - hash: of the whole text.
    public func begin(_ text: String, hash: UInt64, user: Int, startMicroseconds: Int64) {
        slot.pointee.user = Int64(user)
        slot.pointee.query = 0
        slot.pointee.hash = hash
        slot.pointee.start_microseconds = startMicroseconds
        slot.pointee.text_length = StatementSlot.copy(text, rb_slot_text(slot), RB_SLOT_TEXT)
        rb_set_slot_state(slot, StatementSlot.running)
        rb_set_thread_slot(index)
    }
    public func setQuery(_ query: Int) { slot.pointee.query = Int64(query) }
    public func end() {
        rb_set_thread_slot(-1)
        rb_set_slot_state(slot, StatementSlot.idle)
    }
}

/// A number for a statement's text that is the same in every process.
public enum StatementHash {
    public static func of(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
            let raw = UnsafeRawBufferPointer(bytes)
            var offset = 0
            while offset + 8 <= raw.count {
                hash = mixed(hash, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < raw.count {
                hash = mixed(hash, UInt64(raw[offset]))
                offset += 1
            }
            return hash
        }
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 29
    }
}
