import Platform

/// A statement's way: its share of the machine. Until there are queues everybody is let in at once, and the ticket is
/// empty.
extension StatementExecution {
    func admit(_ effects: StatementEffects) throws -> AdmissionTicket {
        try cancellation.check()
        return AdmissionTicket(admissionClass: effects.admission)
    }
}

/// The right to run, given back by ``release()``.
struct AdmissionTicket: Sendable {
    let admissionClass: StatementEffects.AdmissionClass

    func release() {}
}
