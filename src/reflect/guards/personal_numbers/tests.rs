use super::*;

#[test]
fn telephone_numbers_are_recognised_by_their_form() {
    for text in [
        "+49 151 23456789 is mine",
        "+4915123456789",
        "Ring Ana's brother: +44 (0)20 7946 0958",
        "+1 (555) 010-0199",
        "+1.555.010.0199",
        "0049 151 23456789",
        "手机13812345678",
        "13812345678是我的",
        "138 1234 5678",
        "Reach out on 555-010-0199 after six",
        "(555) 010-0199",
        "1-555-010-0199",
        "0151 23456789",
        "0151/23456789",
        "020 7946 0958",
        "06 12 34 56 78",
        "0412 345 678",
        "0755-12345678",
        "call 5550100199",
        "5550100199 is mine",
        "Handy 015123456789",
        "电话 88812345",
        "The support hotline knows my number, 0151 23456789",
    ] {
        assert!(has_phone_number(text), "{text}");
    }
    for text in [
        "Order 13812345678 shipped",
        "Order number 555-010-0199",
        "订单13812345678已发货",
        "运单号：13812345678",
        "Listens on port 50051 and 8080",
        "The phone app listens on port 5005123",
        "Version 1.555.010.0199",
        "Released on 2026-02-24 10:00",
        "24.02.2026",
        "Phone call on 2026-02-24",
        "commit 4915123456789a",
        "Commit 0123456 7890123",
        "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678",
        "Costs 1 299 000 000 EUR",
        "+100 000 000 EUR",
        "ISBN 978-3-16-148410-0",
        "ISBN 0-306-40615-2",
        "ISBN 0306 406152",
        "52.520008, +13.404954",
        "UTC+02:00, 2026-02-24T10:00:00+02:00",
        "Backups at 0900 1200 1700",
        "The support hotline is +49 800 1234567",
        "客服热线 400-123-4567",
        "192.168.100.200",
        "Timestamp 1760000000",
        "from 1990 to 2024",
        "1,234,567,890 rows",
        "#13812345678",
        "RFC 9110 and 4122",
    ] {
        assert!(!has_phone_number(text), "{text}");
    }
}

#[test]
fn numbers_of_documents_are_recognised_by_their_form() {
    for text in [
        "My passport is C01X00T47",
        "C01X00T47 is the number of the passport",
        "护照E12345678",
        "我的护照是 E12345678",
        "身份证11010519491231002X",
        "11010519491231002X",
        "110101199003071234",
        "123-45-6789",
        "QQ 12 34 56 C",
        "QQ123456C",
        "Personalausweis L01X00T471",
        "driver's licence: MORGA753116SM9",
    ] {
        assert!(has_document_number(text), "{text}");
    }
    for text in [
        "The passport strategy listens on port 8443123",
        "passport.js 0.7.0",
        "Passport expires 2031-05-01",
        "passport build 20260224",
        "Passport service runs commit 3f2a9c1d",
        "Order 123-45-6789",
        "Part C01X00T47",
        "订单号 110101199003071234",
        "202602241234567890",
        "ISBN 978-3-16-148410-0",
        "SHA256 and HTTP2",
        "Ticket OPS1234567 is about the passport page",
    ] {
        assert!(!has_document_number(text), "{text}");
    }
}
