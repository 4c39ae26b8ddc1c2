import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The certificate of a listener, which can be replaced at runtime without affecting open connections.
final class ServedCertificate: Sendable {
    private let files: TLSFiles
    private let context: Mutex<NIOSSLContext?>

    /// Creates a certificate whose files are read when the certificate is first used or when ``renew()`` is called.
    init(_ files: TLSFiles) {
        self.files = files
        context = Mutex(nil)
    }

    /// Reloads the certificate files, or throws and keeps the previous certificate if the files are invalid.
    func renew() throws(UnusableCertificate) {
        let new = try files.context()
        context.withLock { $0 = new }
    }

    func current() throws(UnusableCertificate) -> NIOSSLContext {
        if let context = context.withLock({ $0 }) { return context }
        try renew()
        return try current()
    }
}

/// Adds TLS with the current certificate to each new connection, before `base` sets up the connection.
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

/// The paths of the PEM files that contain a certificate chain and its private key.
public struct TLSFiles: Hashable, Sendable {
    /// The path of the file that contains the certificate chain, with the server's certificate first.
    public let certificate: String
    /// The path of the file that contains the certificate's private key.
    public let privateKeyFile: String

    /// Creates a pair of file paths without reading the files.
    public init(certificate: String, privateKeyFile: String) {
        self.certificate = certificate
        self.privateKeyFile = privateKeyFile
    }

    /// Checks that the files contain a certificate chain and its private key.
    ///
    /// - Throws: ``UnusableCertificate`` if a server cannot use the files.
    public func check() throws(UnusableCertificate) { _ = try context() }

    fileprivate func context() throws(UnusableCertificate) -> NIOSSLContext {
        let chain = try reading(.certificate) { try NIOSSLCertificate.fromPEMFile(certificate) }
        let key = try reading(.privateKey) { try NIOSSLPrivateKey(file: privateKeyFile, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try reading(.pair) { try NIOSSLContext(configuration: configuration) }
    }

    private func reading<Part>(
        _ fault: UnusableCertificate.Fault,
        _ part: () throws -> Part
    ) throws(UnusableCertificate) -> Part {
        do { return try part() } catch { throw UnusableCertificate(files: self, fault: fault) }
    }
}

/// The error for a certificate and a private key that a server cannot use.
public struct UnusableCertificate: Error, Hashable, Sendable, CustomStringConvertible {
    enum Fault: String, Sendable {
        case certificate = "no certificate in PEM can be read"
        case privateKey = "no unencrypted private key in PEM can be read"
        case pair = "the private key does not belong to the certificate"
    }

    let files: TLSFiles
    let fault: Fault

    /// A description of the problem and how to fix it, with the paths of both files.
    public var description: String {
        "The certificate \(files.certificate) and the private key \(files.privateKeyFile) cannot be used: \(fault.rawValue). Set `tls` to a certificate chain in PEM and its private key."
    }
}
