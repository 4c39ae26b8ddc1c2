/// Row ids that the server must accept, and row ids that it must reject.
enum Identifiers {
    /// Valid text ids, including those of the client's end-to-end suite.
    static let possible: [String] = [
        "id", "true", "false", "null", "0", "12", "00000000-0000-0000-0000-000000000000",
        "9f1c1c06-6e27-4f5d-8a5c-0b3c1f4f2b11", "9F1C1C06-6E27-4F5D-8A5C-0B3C1F4F2B12",
        "{9F1C1C06-6E27-4F5D-8A5C-0B3C1F4F2B13}", "9F1C1C066E274F5D8A5C0B3C1F4F2B14", "anna@host.example",
        "with some spaces",
        " .", "...", " leading", "trailing ", "'quoted' id", "l'heure d'été", "ながい名前の行", "معرّف السطر",
        "строка номер один",
        "שורה אחת", "行の番号は二十三", "naïve Ångström", "e\u{301} as two characters", "emoji 🚲",
        String(repeating: "x", count: 255), String(repeating: "ü", count: 255),
        "ascii !#$%&'(),-.0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~",
        "latin \u{A1}\u{A2}\u{A3}\u{A4}\u{A5}\u{A6}\u{A7}\u{A8}\u{A9}\u{AB}\u{AC}\u{AE}\u{AF}\u{B0}\u{B1}\u{BF}ÀÆÇÐÑ×ØÞßàæçðñ÷øþÿ",
    ]

    /// Strings that are not valid ids.
    static let impossible: [String] = [
        ".", "..", String(repeating: "x", count: 256), "\r", "\n", "\t", "a\tb", "a\rb", "a\nb", "back\\slash",
        "for/ward",
        "\"quotes\"", "\\", "/", "`", "+", "a+b", "what?", " ", "   ", "control \u{10}", "control \u{82}", "del \u{7F}",
    ]
}
