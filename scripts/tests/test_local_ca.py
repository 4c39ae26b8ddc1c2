"""Makes a local authority and sees that a client which trusts it reaches localhost, and that nothing more can be signed."""

import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "local-ca"
SECONDS = 30


def make(folder):
    return subprocess.run([PROGRAM, folder], capture_output=True, text=True, timeout=SECONDS)


class LocalCATests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "ca"

    def reach(self, name):
        """Connects by TLS to a server with the certificate, as a client that trusts the authority."""
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(self.folder / "localhost.pem", self.folder / "localhost.key")
        client = ssl.create_default_context(cafile=self.folder / "ca.pem")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(SECONDS)

            def serve():
                connection = listener.accept()[0]
                connection.settimeout(SECONDS)
                try:
                    server.wrap_socket(connection, server_side=True).close()
                except OSError:
                    connection.close()

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            try:
                with socket.create_connection(listener.getsockname(), SECONDS) as plain:
                    client.wrap_socket(plain, server_hostname=name).close()
            finally:
                thread.join(SECONDS)

    def test_a_client_that_trusts_it_reaches_this_machine_and_no_other_name(self):
        made = make(self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.reach("localhost")
        self.reach("127.0.0.1")
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.reach("login.example")
        self.assertIn(f"certificate: {self.folder}/localhost.pem", made.stdout)
        self.assertIn(f"-i {self.folder}/ca.pem", made.stdout)

    def test_the_authority_can_sign_nothing_more(self):
        self.assertEqual(make(self.folder).returncode, 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["ca.pem", "localhost.key", "localhost.pem"])
        for path in self.folder.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path.name)
        command = ["openssl", "x509", "-in", self.folder / "ca.pem", "-noout", "-ext", "nameConstraints,basicConstraints"]
        text = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True).stdout
        self.assertIn("DNS:localhost", text)
        self.assertIn("pathlen:0", text)

    def test_what_is_there_stays(self):
        self.assertEqual(make(self.folder).returncode, 0)
        before = (self.folder / "ca.pem").read_bytes()
        again = make(self.folder)
        self.assertEqual(again.returncode, 1)
        self.assertIn("is there already", again.stderr)
        self.assertEqual((self.folder / "ca.pem").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
