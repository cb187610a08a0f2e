import CSignals

/// Ways for a process to die, for tests.
public enum DeliberateDeath: Int32, CaseIterable, Sendable {
    case trap, address, abort, recursion
    public func happen() { rb_die(rawValue) }
}
