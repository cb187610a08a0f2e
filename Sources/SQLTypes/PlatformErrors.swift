import Platform

extension SQLError {
    public init(_ error: PlatformError) {
        let state: SQLState =
            switch error.kind {
            case .notFound: .undefinedFile
            case .permissionDenied: .insufficientPrivilege
            case .diskFull: .diskFull
            case .alreadyExists: "58P02"
            case .isDirectory, .notDirectory: .wrongObjectType
            case .directoryNotEmpty, .alreadyLocked: .objectInUse
            case .tooManyOpenFiles: .insufficientResources
            case .io: .ioError
            }
        self.init(state, error.message)
        if error.kind == .alreadyLocked {
            hint = "Stop the other process, or open another warehouse directory."
        }
    }

    public init(_ error: MemoryExhausted) {
        self.init(
            .outOfMemory, "out of memory",
            detail: "Failed on request of \(error.requested) bytes: \(error.used) of \(error.limit) bytes are in use.",
            hint: "Raise redbarn_memory_limit or the warehouse's memory, or run fewer statements at a time.")
    }

    public init(_ error: StatementCancelled) {
        let message =
            switch error.reason {
            case .userRequest: "canceling statement due to user request"
            case .statementTimeout: "canceling statement due to statement timeout"
            case .sessionTerminated: "terminating connection due to administrator command"
            case .queryMonitoring: "canceling statement due to query monitoring rule"
            case .shutdown: "terminating connection due to administrator command"
            case .queueHop: "canceling statement because it moves to another queue"
            }
        let ends = error.reason == .sessionTerminated || error.reason == .shutdown
        self.init(ends ? "57P01" : .queryCanceled, message)
    }

    /// Whatever was thrown, as the client sees it.
    public init(_ error: any Error) {
        switch error {
        case let error as SQLError: self = error
        case let error as PlatformError: self.init(error)
        case let error as MemoryExhausted: self.init(error)
        case let error as StatementCancelled: self.init(error)
        default: self.init(.internalError, "unexpected error: \(error)")
        }
    }
}
