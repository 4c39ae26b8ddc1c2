import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The certificate that a listener shows, which can be renewed while it serves: connections that are open keep theirs.
final class ServedCertificate: Sendable {
    private let files: TLSFiles
    private let context: Mutex<NIOSSLContext?>

    /// The certificate of files, which are read at the first connection or renewal.
    init(_ files: TLSFiles) {
        self.files = files
        context = Mutex(nil)
    }

    /// Reads the files again.
    ///
    /// - Throws: The reason why they are no certificate with its key; the one before stays in force then.
    func renew() throws {
        let new = try NIOSSLContext(configuration: files.configuration())
        context.withLock { $0 = new }
    }

    /// The context for the next connection.
    func current() throws -> NIOSSLContext {
        if let context = context.withLock({ $0 }) { return context }
        try renew()
        return try current()
    }
}

/// A connection's setup with TLS before all else, by the certificate of that moment.
struct SecureChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificate: ServedCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            let handler = NIOSSLServerHandler(context: try certificate.current())
            try channel.pipeline.syncOperations.addHandler(handler)
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// A certificate chain and its private key, as PEM files.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate, then those that lead to its root.
    public let certificate: String
    /// The certificate's private key.
    public let privateKeyFile: String

    /// TLS by these files.
    public init(certificate: String, privateKeyFile: String) {
        self.certificate = certificate
        self.privateKeyFile = privateKeyFile
    }

    /// TLS 1.2 or later with these files.
    func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKeyFile, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}
