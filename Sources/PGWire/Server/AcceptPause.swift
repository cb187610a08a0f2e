import Glibc
import NIOCore

/// Without free descriptors accept() fails at once, again and again: the listening channel looks away for a moment. A
/// handler for its pipeline, confined to its event loop. (NIO's AcceptBackoffHandler delays only reads that are asked
/// for anew; after this error the channel goes on with the one that it has.)
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    private static let milliseconds: Int64 = 100
    private static let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    /// For `serverChannelInitializer`.
    @Sendable static func initialize(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptPause()) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let channel = context.channel
        guard let code = (error as? IOError)?.errnoCode, AcceptPause.shortages.contains(code) else { return }
        _ = channel.setOption(.autoRead, value: false)
        context.eventLoop.scheduleTask(in: .milliseconds(AcceptPause.milliseconds)) {
            _ = channel.setOption(.autoRead, value: true)
        }
    }
}
